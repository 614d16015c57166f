exec(open('/tmp/prof2.py').read().split("a=load")[0].replace("def load","import json,glob,collections\ndef load"))
import json,glob,collections
best=None
for f in glob.glob('/tmp/prof-new/*.cpuprofile'):
    d=json.load(open(f)); urls=' '.join(n['callFrame']['url'] for n in d['nodes'])
    if 'verify-slip.ts' in urls and (best is None or len(d['samples'])>best[0]): best=(len(d['samples']),d)
d=best[1]; node={x['id']:x for x in d['nodes']}; parent={}
for x in d['nodes']:
    for c in x.get('children',[]): parent[c]=x['id']
n=float(open('/tmp/rate-new').read())*12
c=collections.Counter()
for s,t in zip(d['samples'],d['timeDeltas']):
    i=s; own=None
    if node[s]['callFrame']['functionName'] in('(idle)','(garbage collector)'): own=node[s]['callFrame']['functionName']
    while own is None and i is not None:
        uu=node[i]['callFrame']['url']
        if 'file:///' in uu and 'node_modules' not in uu: own='/'.join(uu.split('/')[-2:])+':'+node[i]['callFrame']['functionName']+':'+str(node[i]['callFrame']['lineNumber']+1)
        i=parent.get(i)
    c[own]+=t
for k,v in c.most_common(60): print(f'{v/n:7.2f} {k}')
