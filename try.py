import shutil,sys,tempfile
from pathlib import Path
from tests.nos.verifiers import *
from tests.nos.model_variants import *
from tests.nos.switch_files import sample
from tests.outputs.packs.test_nvue import old
v=Verifiers(shutil.which,Path("/work/shared/oracles"),Path(tempfile.mkdtemp()))
names=[n for n in KEYED if "manage" in n] if len(sys.argv)<3 else sys.argv[2:]
for nos in (sys.argv[1].split(",") if len(sys.argv)>1 else MODELS):
    if nos=="nxos":
        from tests.outputs.packs.test_nxos import NXOS
        c=[f for n in names for o in sample(variant_files(n,nos),2) for f in NXOS.findings(o)]
    else:
        f=[o for n in names for o in sample(variant_files(n,nos),2)]
        if nos=="nvue": f+=[o for n in names for o in old(n)[:1]]
        c=v.complaints(f)
    print("=====",nos,len(c)); print(*sorted(set(c)),sep="\n")
