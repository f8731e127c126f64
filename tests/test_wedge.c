/* Commands that help before a first scene is written: wedges, presets, new scenes, quality in one word. */
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/scene.h"

static const char scene[] = "time: {last: 3, outer_steps: 4}\n"
                            "character: {kind: none}\n"
                            "hair: {preset: straight, region: none, count: 3, length: 4}\n";

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    if (folder_enter("wedge") != 0)
        return 1;
    put("tiny.yaml", scene);
    return 0;
}

static void says(const char *text, const char *wanted) {
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

#define VALUES                                                                                               \
    "wedge tiny.yaml --set hair.drag=1,2,3 --set 'gravity=[0, -981, 0],[0, -100, 0]' --set hair.count=2 -t " \
    "1"

/* The last key changes from job to job; commas in brackets are part of a value. */
static void the_product_is_listed(void **state) {
    (void)state;
    assert_int_equal(ringlet(VALUES " --list"), 0);
    assert_string_equal(out_text, "1\thair.drag=1 gravity=[0, -981, 0]\n"
                                  "2\thair.drag=1 gravity=[0, -100, 0]\n"
                                  "3\thair.drag=2 gravity=[0, -981, 0]\n"
                                  "4\thair.drag=2 gravity=[0, -100, 0]\n"
                                  "5\thair.drag=3 gravity=[0, -981, 0]\n"
                                  "6\thair.drag=3 gravity=[0, -100, 0]\n");
}

/* One value each is one job, which names them. */
static void one_job_names_its_values(void **state) {
    (void)state;
    assert_int_equal(ringlet("wedge tiny.yaml --set hair.drag=2 --set hair.count=2 --list"), 0);
    assert_string_equal(out_text, "1\thair.drag=2 hair.count=2\n");
    assert_int_equal(ringlet("wedge tiny.yaml --set hair.drag=2 -t 1 -o single --size 32"), 0);
    says(err_text, "job 1/1  hair.drag=2\n");
}

static int lines_with(const char *text, const char *wanted) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, wanted)) != NULL; at++)
        count++;
    return count;
}

/* One job alone, as on a farm; then the rest, and the sheet; then nothing; then only what an edit changes. */
static void only_what_is_missing_is_run(void **state) {
    char table[TEXT_SIZE], again[TEXT_SIZE];
    (void)state;
    assert_int_equal(ringlet(VALUES " -o out --size 48 --job 5"), 0);
    assert_int_equal(system("test -s out/0005/hair.usdc && test ! -e out/0001 && test ! -e out/sheet.png"),
                     0);
    assert_int_equal(ringlet(VALUES " -o out --size 48"), 0);
    assert_int_equal(lines_with(err_text, "nothing to do"), 1);
    assert_int_equal(system("test -s out/sheet.png && test $(ls out | wc -l) = 9"), 0);
    read_file("out/table.csv", table);
    says(table, "job,hair.drag,gravity,hair.count,status,first,last,strands,points,seconds,");
    says(table, "\n4,2,\"[0, -100, 0]\",2,done,1,3,2,");
    assert_int_equal(lines_with(table, "\n"), 7);
    /* a job is what `simulate` makes of its values */
    assert_int_equal(
        ringlet("simulate tiny.yaml -o one.usdc -q -t 1 --set hair.drag=2 --set 'gravity=[0, -100, 0]' "
                "--set hair.count=2"),
        0);
    assert_int_equal(system("cmp one.usdc out/0004/hair.usdc"), 0);
    assert_int_equal(ringlet(VALUES " -o out --size 48"), 0);
    assert_int_equal(lines_with(err_text, "nothing to do"), 6);
    read_file("out/table.csv", again);
    assert_string_equal(again, table);
    assert_int_equal(system("rm out/0002/hair.usdc; sed -i 's/length: 4/length: 5/' tiny.yaml"), 0);
    assert_int_equal(ringlet(VALUES " -o out --size 48"), 2);
    says(err_text, "out: holds a wedge of another scene, or of this one before an edit; --force replaces it");
    assert_int_equal(ringlet(VALUES " -o out --size 48 --force"), 0);
    assert_int_equal(lines_with(err_text, "was made from another scene"), 5);
    /* an edit of the look alone, which files carry */
    assert_int_equal(system("sed -i 's/length: 5/length: 5, look: {dye: [0, 0, 1]}/' tiny.yaml"), 0);
    assert_int_equal(ringlet(VALUES " -o out --size 48 --force"), 0);
    assert_int_equal(lines_with(err_text, "was made from another scene"), 6);
    assert_int_equal(lines_with(err_text, "nothing to do"), 0);
    assert_int_equal(
        ringlet("simulate tiny.yaml -o dyed.usdc -q -t 1 --set hair.drag=2 --set 'gravity=[0, -100, 0]' "
                "--set hair.count=2"),
        0);
    assert_int_equal(system("cmp dyed.usdc out/0004/hair.usdc"), 0);
    put("tiny.yaml", scene);
}

#define TWO "wedge tiny.yaml -o kept -t 1 --size 32 --frames :2 --set "

/* Pictures of two wedges never meet on one sheet: a folder that is another's is refused, and stays. */
static void a_folder_of_another_wedge_is_kept(void **state) {
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {TWO "hair.drag=1,3", "kept: holds a wedge of other values; --force replaces it, or give another"},
        {TWO "hair.drag=1", "kept: holds a wedge of other values"},
        {TWO "hair.drag=1,2 --job 2 --frames :3", "kept: holds a wedge of other frames"},
        {TWO "hair.drag=1,2 --quality draft", "kept: holds a wedge of another quality"},
        {"wedge other.yaml -o kept -t 1 --size 32 --frames :2 --set hair.drag=1,2",
         "kept: holds a wedge of another scene"},
    };
    (void)state;
    put("other.yaml", "time: {last: 3, outer_steps: 4}\ncharacter: {kind: none}\n"
                      "hair: {preset: straight, region: none, count: 2, length: 6}\n");
    assert_int_equal(ringlet(TWO "hair.drag=1,2"), 0);
    assert_int_equal(system("cp kept/sheet.png sheet.png; cp kept/0002/hair.usdc two.usdc"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ringlet(cases[i].arguments), 2);
        says(err_text, cases[i].message);
        assert_int_equal(system("cmp kept/sheet.png sheet.png && cmp kept/0002/hair.usdc two.usdc"), 0);
    }
    assert_int_equal(ringlet(TWO "hair.drag=1,2"), 0);
    assert_int_equal(lines_with(err_text, "nothing to do"), 2);
    /* asked for, it is replaced, with what a killed job has left; what is the same stays */
    assert_int_equal(system("rm kept/0002/hair.usdc; echo gone > kept/0002/hair.usdc.checkpoint"), 0);
    assert_int_equal(ringlet(TWO "hair.drag=1,3 --force"), 0);
    assert_int_equal(lines_with(err_text, "nothing to do"), 1);
    assert_int_equal(
        system("grep -q '^2,3,done,' kept/table.csv && test ! -e kept/0002/hair.usdc.checkpoint"), 0);
}

/* Of two at once one makes all of it, and the other says who has the folder. */
static void of_two_wedges_one_goes_on(void **state) {
    (void)state;
    put("slow.yaml", "time: {last: 60, outer_steps: 20}\ncharacter: {kind: none}\n"
                     "hair: {preset: straight, region: none, count: 60, length: 10}\n");
    assert_int_equal(system("for k in 1 2; do (" RLT_PROGRAM
                            " wedge slow.yaml -o both --set hair.drag=1,2 -t 1 --size 32"
                            " > /dev/null 2> both-$k.txt; echo $? > both-$k.code) & done; wait;"
                            " test $(sort both-1.code both-2.code | tr '\\n' ' ' | tr -d ' ') = 01"),
                     0);
    assert_int_equal(system("cat both-1.txt both-2.txt > both.txt; test -s both/sheet.png"), 0);
    read_file("both.txt", out_text);
    /* by a process, or by another run where that has not said yet which it is */
    says(out_text, "both/sheet.png: is being written by ");
    assert_int_equal(system("test $(grep -c ',done,1,60,60,' both/table.csv) = 2"), 0);
}

static void wrong_wedges_are_told(void **state) {
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"wedge tiny.yaml --set hair.drag=1,2", "no folder is named; add -o DIR"},
        {"wedge tiny.yaml -o w", "there is nothing to compare; add --set KEY=A,B,C"},
        {"wedge tiny.yaml --set hair.drag=1,,2 -o bad", "a value is missing between the commas"},
        {"wedge tiny.yaml --set hair.drag -o bad", "must be KEY=VALUE or KEY=VALUE,VALUE,..."},
        {"wedge tiny.yaml --set hair.drag=1,2 --set hair.count=2 --set 'hair.drag =3' -o bad",
         "--set hair.drag =3: hair.drag is given twice; give all its values in one --set"},
        {"wedge tiny.yaml --set hair.drag=1,-2 -o bad", "hair.drag = -2: must be >= 0"},
        {"wedge tiny.yaml --set hair.drga=1,2 --list", "hair.drga: unknown key; did you mean hair.drag?"},
        {"wedge tiny.yaml --set hair.drag=1,-2 --list", "hair.drag = -2: must be >= 0"},
        {"wedge tiny.yaml --set hair.drag=1,-2 -o bad --job 1", "hair.drag = -2: must be >= 0"},
        {"wedge tiny.yaml --set hair.drag=1,2 -o bad --job 3", "--job 3: there are 2; --list prints them"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ringlet(cases[i].arguments), 2);
        says(err_text, cases[i].message);
        assert_string_equal(out_text, "");
    }
    assert_int_equal(system("test ! -e bad"), 0);
}

/* A sheet of some presets: as wide as they need, and an old one is not replaced. */
static void presets_are_pictured(void **state) {
    (void)state;
    assert_int_equal(ringlet("presets Straight 1a -o kinds.png --size 32 -t 1"), 0);
    says(err_text, "2/2  1a  left 0:00");
    assert_int_equal(system("test -s kinds.png"), 0);
    assert_int_equal(ringlet("presets straight -o kinds.png --size 32 -q"), 2);
    says(err_text, "kinds.png: exists; --force replaces it");
    assert_int_equal(ringlet("presets straight 3bb -o other.png"), 2);
    assert_int_equal(system("test ! -e other.png"), 0);
}

/* Every scene that `new` writes is good, and every preset is listed with what it is. */
static void new_scenes_are_good(void **state) {
    (void)state;
    assert_int_equal(ringlet("presets"), 0);
    says(out_text, "1a               Type 1A, ");
    says(out_text, "4c               Type 4C, very tight coils");
    assert_int_equal(ringlet("presets 3b"), 0);
    says(out_text, "# Type 3B, ringlets");
    assert_int_equal(ringlet("presets 3B"), 0);
    says(out_text, "# Type 3B, ringlets");
    assert_int_equal(ringlet("new Start.yaml --preset 3B"), 0);
    assert_int_equal(system("grep -q '^  preset: 3b ' Start.yaml"), 0);
    assert_int_equal(ringlet("presets 3bb"), 2);
    says(err_text, "no preset '3bb'; did you mean '3b'?");
    for (int i = 0; rlt_embedded_preset_name(i) != NULL; i++) {
        char line[200];
        assert_non_null(rlt_embedded_preset_text(i));
        snprintf(line, sizeof line, "new start.yaml --force --preset %s", rlt_embedded_preset_name(i));
        assert_int_equal(ringlet(line), 0);
        assert_int_equal(ringlet("check start.yaml --syntax-only"), 0);
        assert_string_equal(err_text, "");
    }
    assert_null(rlt_embedded_preset_name(-1));
    /* wisps that stray are all simulated, as one of them cannot show how others go */
    assert_int_equal(ringlet("new start.yaml --force --preset 4b"), 0);
    assert_int_equal(system("grep -q '^  count: 3200 ' start.yaml && grep -q '^    full: 3200 ' start.yaml"),
                     0);
    assert_int_equal(ringlet("new start.yaml --force --preset 3c"), 0);
    assert_int_equal(system("grep -q '^  count: 600 ' start.yaml && grep -q '^    full: 1200 ' start.yaml"),
                     0);
    assert_int_equal(ringlet("new start.yaml"), 2);
    says(err_text, "start.yaml: exists; --force replaces it");
    assert_int_equal(ringlet("new start.txt"), 2);
    assert_int_equal(ringlet("simulate tiny.yaml -o groom.usda -q -t 1 --frames :1"), 0);
    assert_int_equal(system("mkdir -p below"), 0);
    assert_int_equal(ringlet("new below/start.yaml --groom groom.usda"), 0);
    assert_int_equal(ringlet("check below/start.yaml"), 0);
    says(err_text, "3 strands");
    /* a file that says how it looks: the scene says the same, over its preset */
    assert_int_equal(system("! grep -q 'as the file says' below/start.yaml"), 0);
    assert_int_equal(
        ringlet("simulate tiny.yaml -o red.usda -q -t 1 --frames :1 --set hair.look.eumelanin=0.02 "
                "--set hair.fill.clump=0.35 --set hair.fill.full=70 --set render.azimuth=12"),
        0);
    assert_int_equal(ringlet("new red.yaml --groom red.usda --preset 3b"), 0);
    assert_int_equal(ringlet("check red.yaml"), 0);
    assert_int_equal(
        system("grep -A9 '^  fill:' red.yaml | grep -q '^    full: 70$' && grep -q '^    clump: 0.35$' "
               "red.yaml &&"
               " grep -q '^    blend: locks$' red.yaml && grep -q '^    eumelanin: 0.02$' red.yaml &&"
               " grep -q '^  azimuth: 12$' red.yaml"),
        0);
    assert_int_equal(ringlet("simulate fur -o fur.usda -q -t 1 --frames :1 --set hair.count=2"), 0);
    assert_int_equal(ringlet("new fur.yaml --groom fur.usda"), 0);
    says(err_text,
         "note: fur.usda holds a mesh, too (/Ringlet/Body): with --body fur.usda the hair grows on it");
    assert_int_equal(ringlet("new fur.yaml --groom fur.usda --body fur.usda --force"), 0);
    assert_null(strstr(err_text, "holds a mesh"));
    assert_int_equal(ringlet("new other.yaml --groom nobody.usda"), 2);
    assert_int_equal(ringlet("new other.yaml --body groom.usda"), 2);
    assert_int_equal(system("echo words > notes.md"), 0);
    assert_int_equal(ringlet("new other.yaml --groom notes.md"), 2);
    says(err_text, "notes.md: not a format that is known");
    assert_int_equal(ringlet("new other.yaml --groom groom.usda --body notes.md"), 2);
    assert_int_equal(system("test ! -e other.yaml"), 0);
}

/* A word for many values; those given win over it. Pictures keep their hairs, and no skin shows. */
static void quality_is_one_word(void **state) {
    (void)state;
    put("many.yaml", "time: {last: 2, outer_steps: 2}\ncharacter: {kind: none}\n"
                     "hair:\n  - {name: a, preset: straight, region: none, count: 100, length: 3}\n"
                     "  - {name: b, preset: straight, model: rod, region: none, count: 40, length: 3,\n"
                     "     fill: {blend: wisps, per_guide: 60, lock_radius: 0.5}}\n");
    assert_int_equal(ringlet("simulate many.yaml -o many.usda -t 1 --quality draft"), 0);
    says(
        err_text,
        "quality draft: hair.count 100 to 25, hair.fill.per_guide 50 to 200, hair.contact.enabled on to off, "
        "hair.count 40 to 20, hair.fill.blend wisps to locks, hair.fill.per_guide 60 to 120, "
        "hair.fill.lock_radius 0.5 to 0.7071, hair.rod.steps 4 to 2, hair.contact.enabled on to off\n");
    says(err_text, "many.usda: frames 1 to 2, 45 strands");
    /* guides that carry more by themselves where there are few need no more said */
    assert_int_equal(ringlet("simulate many.yaml -o many.usda -t 1 --quality draft --set hair.fill.full=100"),
                     0);
    says(err_text,
         "quality draft: hair.count 100 to 25, hair.contact.enabled on to off, hair.count 40 to 20, "
         "hair.rod.steps 4 to 2,");
    assert_int_equal(ringlet("simulate many.yaml -o many.usda -t 1 --quality final --set hair.count=6"), 0);
    says(err_text, "many.usda: frames 1 to 2, 12 strands");
    /* what the command line gives stays, is not said to change, and changes no picture */
    assert_int_equal(ringlet("simulate many.yaml -o many.usda -t 1 --quality draft --set hair[1].count=7"),
                     0);
    says(err_text, "hair.contact.enabled on to off, hair.rod.steps 4 to 2, hair.contact.enabled on to off\n");
    says(err_text, "many.usda: frames 1 to 2, 32 strands");
    assert_int_equal(ringlet("simulate many.yaml -o many.usda -t 1 --quality best"), 2);
    says(err_text, "--quality best: must be one of normal, draft, final");
    /* of a wedge as well: its jobs are what `simulate` makes with that word, and a job at another is anew */
    assert_int_equal(ringlet("wedge many.yaml -o rough --set hair.drag=1,2 -t 1 --quality draft --job 2"), 0);
    says(err_text, "quality draft: hair.count 100 to 25,");
    assert_int_equal(
        ringlet("simulate many.yaml -o many.usdc -t 1 --quality draft --set hair.drag=2 -q --force"), 0);
    assert_int_equal(system("cmp many.usdc rough/0002/hair.usdc"), 0);
    assert_int_equal(ringlet("wedge many.yaml -o rough --set hair.drag=1,2 -t 1 --size 32 --job 2"), 2);
    says(err_text, "rough: holds a wedge of another quality");
    assert_int_equal(ringlet("wedge many.yaml -o rough --set hair.drag=1,2 -t 1 --size 32 --force"), 0);
    assert_int_equal(lines_with(err_text, "was made from another scene"), 1);
    assert_int_equal(system("grep -q ',done,1,2,140,' rough/table.csv"), 0);
}

/* Killed while a job writes: the same command continues, and leaves the bytes of one that was not. */
static void a_killed_wedge_continues(void **state) {
    (void)state;
    put("long.yaml", "time: {last: 160, outer_steps: 4}\ncharacter: {kind: none}\n"
                     "hair: {preset: straight, region: none, count: 60, length: 10}\n");
    assert_int_equal(system("(" RLT_PROGRAM
                            " wedge long.yaml -o killed --set hair.drag=1,2 -t 1 -q & p=$!; n=0;"
                            " while [ ! -s killed/0001/hair.usdc.values.part ] && [ $n -lt 3000 ]; do"
                            " sleep 0.01; n=$((n + 1)); done; kill -9 $p; wait $p) 2> /dev/null; true"),
                     0);
    assert_int_equal(system("test -e killed/0001/hair.usdc.values.part && test ! -e killed/0001/hair.usdc"),
                     0);
    assert_int_equal(ringlet("wedge long.yaml -o killed --set hair.drag=1,2 -t 1 --size 32"), 0);
    assert_int_equal(ringlet("simulate long.yaml -o whole.usdc -t 2 -q --set hair.drag=1"), 0);
    assert_int_equal(system("cmp whole.usdc killed/0001/hair.usdc && test -s killed/sheet.png"), 0);
    assert_int_equal(system("grep -q '^1,1,done,1,160,60,' killed/table.csv && "
                            "grep -q '^2,2,done,1,160,60,' killed/table.csv"),
                     0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_listed),
        cmocka_unit_test(one_job_names_its_values),
        cmocka_unit_test(only_what_is_missing_is_run),
        cmocka_unit_test(wrong_wedges_are_told),
        cmocka_unit_test(a_killed_wedge_continues),
        cmocka_unit_test(new_scenes_are_good),
        cmocka_unit_test(presets_are_pictured),
        cmocka_unit_test(quality_is_one_word),
        cmocka_unit_test(a_folder_of_another_wedge_is_kept),
        cmocka_unit_test(of_two_wedges_one_goes_on),
    };
    return cmocka_run_group_tests(tests, set_up, folder_leave);
}
