# bash completion for ringlet

_ringlet() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options="--help"
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "demo live simulate render fill check inspect convert wedge new presets scenes schema help plan bench validate --help --version" -- "$current")
        return
    fi
    case $previous in
    --quality)
        mapfile -t COMPREPLY < <(compgen -W "draft normal final" -- "$current")
        return ;;
    --preset)
        mapfile -t COMPREPLY < <(compgen -W "$(ringlet presets 2> /dev/null | cut -d ' ' -f 1)" -- "$current")
        return ;;
    --simd)
        mapfile -t COMPREPLY < <(compgen -W "auto portable avx2 avx512 reference" -- "$current")
        return ;;
    -o | --output)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return ;;
    --out | --plots | --report)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return ;;
    --blend)
        mapfile -t COMPREPLY < <(compgen -W "locks curls points wisps" -- "$current")
        return ;;
    --show)
        # the last name of a list
        local before=
        [[ $current == *,* ]] && before=${current%,*},
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "guides smoothed core frames targets contacts pruned stretch penetration speed holds twist curvature residual forces" -- "${current##*,}")
        return ;;
    --codec)
        mapfile -t COMPREPLY < <(compgen -W "h264 hevc vp9 mpeg4 prores ffv1 gif" -- "$current")
        return ;;
    --size | --samples | --hairs | --points | --azimuth | --elevation | --eumelanin | --pheomelanin)
        return ;;
    --unreal)
        mapfile -t COMPREPLY < <(compgen -W "cache groom" -- "$current"; compgen -f -- "$current")
        return ;;
    --up)
        mapfile -t COMPREPLY < <(compgen -W "Y Z" -- "$current")
        return ;;
    --metres-per-unit | --fps | --prim | -p)
        return ;;
    --partition)
        mapfile -t COMPREPLY < <(compgen -W "auto split greedy metis" -- "$current")
        return ;;
    --ranks | -n | --threads-per-rank | --latency | --bandwidth | --seconds-per-frame)
        return ;;
    --frames | -f | --threads | -t | --set | --checkpoint | --warmup)
        return ;;
    esac
    case $command in
    demo) options="--out --frames --draft --quality --threads --set --force --resume --quiet --help" ;;
    live) options="--port --open --full --groom --body --replay --headless --threads --set --json --help" ;;
    simulate) options="--output --frames --quality --threads --simd --set --force --checkpoint --resume --salvage --standalone --no-velocities --keep-axis --unreal --physics --report --quiet --json --help" ;;
    render) options="--output --frames --size --samples --draft --hairs --blend --azimuth --elevation --eumelanin --pheomelanin --no-body --no-motion-blur --show --codec --threads --set --force --quiet --json --help" ;;
    fill) options="--output --frames --hairs --points --blend --threads --set --force --quiet --json --help" ;;
    inspect) options="--all --json --help" ;;
    convert) options="--frames --static --prim --metres-per-unit --up --keep-axis --fps --unreal --no-velocities --force --quiet --json --help" ;;
    wedge) options="--output --set --frames --list --job --size --quality --force --threads --quiet --help" ;;
    new) options="--preset --groom --body --force --help" ;;
    presets) options="--output --size --force --threads --quiet --help" ;;
    check) options="--set --syntax-only --help" ;;
    plan) options="--ranks --threads-per-rank --partition --latency --bandwidth --seconds-per-frame --set --json --help" ;;
    bench) options="--json --threads --frames --warmup --compare --scene --set --quiet --help" ;;
    validate) options="--json --plots --threads --full --quiet --help" ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        return
    fi
    case $command in
    demo | live | scenes | simulate | render | fill | check | plan | wedge)
        mapfile -t COMPREPLY < <(compgen -W "$(ringlet scenes 2> /dev/null | cut -d ' ' -f 1)" -- "$current") ;;
    esac
    case $command in
    bench)
        mapfile -t COMPREPLY < <(compgen -W "strands redhead horse horse-mane horse-tail horse-fetlocks-front horse-fetlocks-rear horse-body scaling growth rods penny penny-4x penny-8x mane tail long hairball constraints files files-large pictures pictures-large live" -- "$current") ;;
    validate)
        mapfile -t COMPREPLY < <(compgen -W "settle abrupt-stop curl-rotation volume sag root-frames rest pruning centroid scalp-relative rod cantilever elastica arc-couple michell-ring perversion helical-buckling bend-twist lateral-buckling helix-sag dynamics" -- "$current") ;;
    inspect | convert)
        mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    simulate | check | plan)
        local files
        mapfile -t files < <(compgen -f -X '!*.yaml' -- "$current"; compgen -d -- "$current")
        COMPREPLY+=("${files[@]}") ;;
    esac
}
complete -o filenames -F _ringlet ringlet
