// Stages that are composed of every kind of arc: what Ringlet makes of them must be what OpenUSD makes of them.
// ";;" is the end of a line: OpenUSD wants one after every statement.
export const files = {
    'inh.usda': `#usda 1.0
class "_k" {;; double a = 1;; double b = 2;; def "kid" {;; double k = 1;; rel r = [</_k/kid>, </Out>];; };; }
class "_m" ( inherits = </_k> ) {;; double c = 3;; double b = 9;; }
def Scope "P" ( inherits = </_m> ) {;; double z = 1;; }
def Scope "Q" ( inherits = [</_k>, </_m>] ) {;; over "kid" {;; double q = 2;; };; }
def Scope "Out" {;; }
`,
    'asset.usda': `#usda 1.0( defaultPrim = "A" )
class "_class_A" {;; double a = 1;; double b = 1;; double c = 1;; double d = 1;; }
def Scope "A" ( inherits = </_class_A> ) {;; double b = 2;;
  class "_local" {;; double l = 1;; double m = 1;; }
  def Scope "kid" ( inherits = </A/_local> ) {;; double m = 2;; double own = 3;; }
}
`,
    'implied.usda': `#usda 1.0
over "_class_A" {;; double c = 30;; double n = 5;; }
def "P" ( references = @asset.usda@ ) {;; double d = 40;;
  over "_local" {;; double l = 77;; double only = 1;; }
}
def "Q" ( payload = @asset.usda@ ) {;; }
def "R" ( references = </Q> ) {;; }
`,
    'implied2.usda': `#usda 1.0
over "_class_A" {;; double a = 100;; double c = 300;; }
def "X" ( references = @implied.usda@</P> ) {;; }
`,
    'spec.usda': `#usda 1.0
class "_s" {;; double a = 1;; double b = 1;; double c = 1;; }
class "_i" {;; double b = 2;; }
def Scope "P" ( specializes = </_s>;; inherits = </_i>;; references = @specb.usda@</B> ) {;; }
def Scope "Q" ( references = @specb.usda@</C> ) {;; }
`,
    'specb.usda': `#usda 1.0
class "_s" {;; double a = 5;; double c = 6;; double d = 7;; }
def "B" {;; double c = 3;; }
def "C" ( specializes = </_s> ) {;; double a = 8;; }
`,
    'var.usda': `#usda 1.0
def Scope "P" (
 variants = {;; string look = "red";; string size = "big";; }
 prepend variantSets = ["look", "size"]
) {;; double a = 1;;
 variantSet "look" = {
  "red" {;; double a = 10;; double c = 1;; def "kid" {;; double k = 1;; };; }
  "blue" {;; double c = 2;; }
 }
 variantSet "size" = {
  "big" ( references = @specb.usda@</B> ) {;; double c = 5;; double s = 6;; rel to = </P/kid>;; }
  "small" {;; double s = 7;; }
 }
}
def Scope "None" ( prepend variantSets = "look" ) {;; variantSet "look" = {;; "x" {;; double a = 1;; };; };; }
def "O" ( references = </P>;; variants = {;; string look = "blue";; } ) {;; }
`,
    'var2.usda': `#usda 1.0
def "X" ( references = @var.usda@</P>;; variants = {;; string size = "small";; } ) {;; }
def "Y" ( references = @var.usda@</P/kid> ) {;; double y = 1;; }
def Scope "N" ( variants = {;; string v = "one";; };; add variantSets = "v" ) {
 variantSet "v" = {
  "one" ( variants = {;; string w = "in";; };; prepend variantSets = "w" ) {;; double n = 1;;
     variantSet "w" = {;; "in" {;; double n = 2;; double m = 3;; };; };; }
 }
}
class "_vk" ( prepend variantSets = "q" ) {;; variantSet "q" = {;; "u" {;; double u = 1;; def "w" {;; };; };; };; }
def Scope "I" ( inherits = </_vk>;; variants = {;; string q = "u";; } ) {;; }
def Scope "Sel" ( prepend variantSets = ["a", "b"];; variants = {;; string a = "one";; } ) {
  variantSet "a" = {;; "one" ( variants = {;; string b = "two";; } ) {;; double va = 1;; };; }
  variantSet "b" = {;; "two" {;; double vb = 2;; double va = 5;; };; }
}
`,
    'varclass.usda': `#usda 1.0( defaultPrim = "V" )
class "_vc" {;; double a = 1;; }
def Scope "V" ( prepend variantSets = "s";; variants = {;; string s = "x";; } ) {
  variantSet "s" = {;; "x" ( inherits = </_vc> ) {;; double b = 2;; };; }
}
`,
    'varimplied.usda': `#usda 1.0
over "_vc" {;; double a = 11;; double e = 12;; }
def "P" ( references = @varclass.usda@ ) {;; }
`,
    'listb.usda': `#usda 1.0
def "A" {;; double x = 1;; double a = 1;; }
def "B" {;; double x = 2;; double b = 1;; }
def "C" {;; double x = 3;; double c = 1;; }
def "D" {;; double x = 4;; double d = 1;; }
`,
    'list.usda': `#usda 1.0( subLayers = [ @list1.usda@, @list2.usda@ ] )
over "P" ( delete references = @listb.usda@</B> ) {;; prepend rel r = </P/p>;; delete rel r = </P/b>;; }
over "Q" ( prepend references = @listb.usda@</C> ) {;; }
over "R" ( append references = @listb.usda@</A> ) {;; append rel r = </R/a>;; }
over "S" ( references = @listb.usda@</D> ) {;; rel r = [</S/z>];; }
over "T" ( reorder references = [@listb.usda@</C>, @listb.usda@</A>] ) {;; }
over "U" ( prepend apiSchemas = ["Zed"];; delete apiSchemas = ["B"] ) {;; }
`,
    'list1.usda': `#usda 1.0
over "P" ( add references = @listb.usda@</C> ) {;; add rel r = [</P/a>, </P/n>];; }
over "Q" ( append references = @listb.usda@</A> ) {;; }
over "R" ( prepend references = @listb.usda@</B> ) {;; }
over "U" ( append apiSchemas = ["C"] ) {;; }
`,
    'list2.usda': `#usda 1.0
def Scope "P" ( references = [@listb.usda@</A>, @listb.usda@</B>] ) {;; rel r = [</P/a>, </P/b>];; }
def Scope "Q" ( references = [@listb.usda@</A>, @listb.usda@</B>] ) {;; }
def Scope "R" ( references = [@listb.usda@</A>, @listb.usda@</C>] ) {;; rel r = [</R/a>, </R/b>];; }
def Scope "S" ( references = [@listb.usda@</A>, @listb.usda@</C>] ) {;; rel r = [</S/a>, </S/b>];; }
def Scope "T" ( references = [@listb.usda@</A>, @listb.usda@</B>, @listb.usda@</C>] ) {;; }
def Scope "U" ( prepend apiSchemas = ["A", "B"] ) {;; }
`,
    'inst.usda': `#usda 1.0
def Xform "Proto" {;; double p = 1;; def Scope "geo" {;; double g = 1;; rel r = </Proto/geo>;; };; }
def "I1" ( instanceable = true;; references = </Proto> ) {;; double p = 2;; over "geo" {;; double g = 9;; };; def "extra" {;; };; }
def "I2" ( instanceable = true;; references = </Proto> ) {;; double p = 3;; }
def Xform "Plain" ( instanceable = true ) {;; def "kid" {;; double a = 1;; };; }
def "G" ( references = @instb.usda@</Set> ) {;; over "one" {;; over "geo" {;; double g = 5;; };; };; }
`,
    'instb.usda': `#usda 1.0
def Xform "Tree" {;; def Scope "geo" {;; double g = 2;; };; }
def Xform "Set" {;; def "one" ( instanceable = true;; references = </Tree> ) {;; over "geo" {;; double g = 6;; };; };; }
`,
    'intref.usda': `#usda 1.0
def Scope "A" {;; def Scope "b" {;; rel r = [</A/b>, </Out>];; double x = 1;; double x.connect = </Out.y>;; };; }
def Scope "Out" {;; double y = 1;; }
def "R" ( references = </A> ) {;; }
def "S" ( references = </A/b> ) {;; }
`,
    'missing.usda': `#usda 1.0( subLayers = [@nothing.usda@, @listb.usda@] )
def "X" ( references = [@gone.usda@, @listb.usda@</A>, @listb.usda@</Nope>] ) {;; double own = 1;; }
def "Y" ( payload = @gone.usdc@ ) {;; double own = 2;; }
def "Z" ( references = </Z/kid> ) {;; def "kid" {;; };; double own = 3;; }
def "W" ( inherits = </W> ) {;; double own = 4;; }
def "V1" ( references = </V2> ) {;; double own = 5;; }
def "V2" ( references = </V1> ) {;; double two = 6;; }
`,
    'deep.usda': `#usda 1.0
class "_g" {;; def "in" {;; double d = 1;; };; double g = 1;; }
def Scope "Top" ( inherits = </_g> ) {;; def Scope "mid" ( references = @deepb.usda@</M/sub> ) {;; };; }
`,
    'deepb.usda': `#usda 1.0
class "_c" {;; def "sub" {;; double fromclass = 1;; double s = 5;; };; }
def Scope "M" ( inherits = </_c>;; prepend variantSets = "v";; variants = {;; string v = "a";; } ) {
  def Scope "sub" {;; double s = 1;; }
  variantSet "v" = {;; "a" {;; over "sub" {;; double v = 2;; };; };; "b" {;; over "sub" {;; double v = 3;; };; };; }
}
`,
    'chain.usda': `#usda 1.0
over "_base" {;; double top = 1;; }
over "_mid" {;; double topmid = 2;; }
def "P" ( references = @chainb.usda@</B> ) {;; }
`,
    'chainb.usda': `#usda 1.0
class "_base" {;; double x = 1;; double y = 1;; }
class "_mid" ( inherits = </_base> ) {;; double y = 2;; }
def "B" ( inherits = </_mid> ) {;; double z = 3;; }
`,
    'bare.usda': `#usda 1.0
def Scope "A" ( inherits = </_hook> ) {;; double a = 1;; }
`,
    'hooked.usda': `#usda 1.0
class "_hook" {;; double h = 3;; def "kid" {;; double k = 4;; };; }
def "D" ( references = @bare.usda@</A> ) {;; }
`,
    'links.usda': `#usda 1.0
def Xform "W" {;;
  def "A" ( references = @linksb.usda@</C> ) {;;
    over "H" {;; prepend rel to = </W/B>;; delete rel less = </W/A/L>;; rel material:binding ( bindMaterialAs = "strongerThanDescendants" );; };;
  }
  def "B" ( inherits = </_k> ) {;; rel in = </W>;; }
}
class "_k" {;; rel self = </_k/kid>;; rel in = </W/A>;; def "kid" {;; double a.connect = </_k.b>;; };; double b = 1;; }
`,
    'linksb.usda': `#usda 1.0
def Xform "C" ( prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:all"] ) {;;
  rel material:binding:collection:all = [</C.collection:all>, </C/L/M>]
  uniform token collection:all:expansionRule = "expandPrims"
  rel collection:all:includes = [</C/H>, </Else>]
  def Scope "H" {;; rel material:binding = </C/L/M>;; custom rel to = [</C/L>, </C/H>];; rel less = [</C/L>, </C/H>];; rel bare;; }
  def Scope "L" {;;
    def Material "M" {;; float inputs:r = 0.5;; token outputs:surface.connect = </C/L/M/S.outputs:surface>;;
      def Shader "S" {;; uniform token info:id = "X";; float inputs:r.connect = </C/L/M.inputs:r>;; token outputs:surface;;
        asset inputs:f = @/t.png@ (;; colorSpace = "raw";; );; color3f inputs:c ( renderType = "color" );; }
    }
  }
}
def Scope "Else" {;; }
`,
    'twice.usda': `#usda 1.0
def "P" ( prepend payload = @twiceb.usda@</R> ) {;; }
def Scope "Q" ( prepend inherits = [</_m>, </_s>] ) {;; }
def Scope "O" ( prepend inherits = </_r> ) {;; }
over "N" ( prepend inherits = </_o>;; prepend specializes = </D> ) {;; }
def Scope "D" {;; }
class "_k" {;; def Scope "y" {;; };; }
class "_m" {;; def Scope "y" {;; prepend rel r = [</_r/y>, </Q/y>, </D>];; };; }
class "_s" ( prepend specializes = </_m> ) {;; def Scope "x" {;; };; }
class "_r" {;; def Scope "x" ( prepend references = </_m>;; prepend inherits = </_m> ) {;; };; }
class "_o" ( prepend references = @twiceb.usda@</_o> ) {;; }
`,
    'twiceb.usda': `#usda 1.0
def Scope "R" ( append references = </_k>;; prepend inherits = </_k> ) {;; }
class "_k" {;; double k = 1;; }
class "_o" {;; }
`,
    'below.usda': `#usda 1.0
def "Q" ( prepend references = @belowb.usda@</P/x> ) {;; }
def "R" ( prepend payload = @belowb.usda@</_k> ) {;; }
class "_m" {;; def "x" {;; prepend rel r = </_k>;; double m = 2;; };; }
over "W" ( prepend references = @belowb.usda@</S>;; prepend payload = @belowb.usda@</T> ) {;; }
`,
    'belowb.usda': `#usda 1.0
def "P" ( add inherits = </_m> ) {;; double p = 1;; def "x" {;; };; }
def "V" {;; double g = 42;; }
class "_k" ( prepend references = @belowc.usda@</V> ) {;; }
def "S" ( add specializes = </_n> ) {;; }
class "_n" {;; over "y" {;; };; }
def Scope "T" {;; def Scope "x" {;; };; def Scope "y" {;; };; }
`,
    'belowc.usda': `#usda 1.0
over "V" ( prepend inherits = </_k> ) {;; }
`,
    'order.usda': `#usda 1.0
def Scope "Q" ( prepend references = [@orderc.usda@</U>, @orderb.usda@</S>] ) {;; }
class "_m" ( prepend references = @orderc.usda@</_k> ) {;; double d = 1;; }
def Scope "T" ( references = [@orderb.usda@</S>, @orderc.usda@</W>] ) {;; }
class "_w" {;; double d = 2;; double f = 3;; }
`,
    'orderb.usda': `#usda 1.0
def Scope "S" ( prepend specializes = </_m> ) {;; }
class "_m" {;; double d = 4;; double f = 5;; def Scope "y" {;; double g = 6;; };; }
`,
    'orderc.usda': `#usda 1.0
def "U" ( add specializes = </_m> ) {;; }
class "_k" {;; over "y" {;; double g = 58;; };; }
class "_m" {;; }
def "W" ( specializes = </_w> ) {;; }
`,
    'through.usda': `#usda 1.0
def "R" ( references = @throughb.usda@</V> ) {;; }
class "_m" {;; double a = 1;; def Scope "y" {;; };; }
def Scope "P" ( prepend references = @throughb.usda@</U> ) {;; }
`,
    'throughb.usda': `#usda 1.0
def Scope "V" ( references = </_k> ) {;; }
class "_k" ( inherits = </_m> ) {;; double b = 2;; }
def Scope "U" ( references = </_t> ) {;; }
class "_t" ( references = </_m>;; inherits = </_m> ) {;; }
`,
    'own.usda': `#usda 1.0
def "P" ( references = @ownb.usda@</B>;; prepend variantSets = "v" ) {;; double a = 1
variantSet "v" = {;; "one" ( variants = {;; string v = "two";; } ) {;; double c = 1;; };; "two" {;; double c = 2;; };; };; }
`,
    'ownb.usda': `#usda 1.0
def Scope "B" ( variants = {;; string v = "one";; };; prepend variantSets = "v" ) {
variantSet "v" = {;; "one" {;; double d = 1;; };; "two" {;; double d = 2;; };; };; }
`,
    'moved.usda': `#usda 1.0
def "P" ( specializes = [</_m>, </_k>] ) {;; }
class "_k" {;; def Scope "x" ( specializes = </_m> ) {;; double a = 1;; double b = 1;; };; }
class "_m" {;; double b = 2;; }
over "C" ( specializes = [</_m>, </P>] ) {;; }
def "I" ( inherits = </_n>;; references = </D> ) {;; }
class "_n" {;; class "y" {;; };; over "z" ( inherits = </_m> ) {;; };; }
def "D" {;; def "y" {;; };; def "z" {;; };; }
def Scope "V" ( variants = {;; string v = "one";; };; prepend variantSets = "v" ) {
variantSet "v" = {;; "one" {;; def Scope "x" ( specializes = </_m> ) {;; };; };; };; }
def "T" ( references = @orderb.usda@</S> ) {;; }
def "W" ( references = [@orderb.usda@</S>, @orderc.usda@</U>] ) {;; }
`,
    'times.usda': `#usda 1.0
def Scope "P" {;; timecode t.timeSamples = {;; 1: 5, 2: 20.1 };; timecode[] all = [5, 0.1];; timecode one = 7;; }
`,
    'lenient.usda': `#usda 1.0
def Scope "A" {;; int a = 3.12;; asset x = "file";; }
`,
};
for (const name of Object.keys(files)) files[name] = files[name].replaceAll(';;', '\n');

export const tops = [
    'inh.usda',
    'asset.usda',
    'implied.usda',
    'implied2.usda',
    'spec.usda',
    'var.usda',
    'var2.usda',
    'varclass.usda',
    'varimplied.usda',
    'list.usda',
    'inst.usda',
    'intref.usda',
    'missing.usda',
    'deep.usda',
    'chain.usda',
    'hooked.usda',
    'links.usda',
    'linksb.usda',
    'twice.usda',
    'below.usda',
    'order.usda',
    'through.usda',
    'own.usda',
    'moved.usda',
    'times.usda',
    'lenient.usda',
];
