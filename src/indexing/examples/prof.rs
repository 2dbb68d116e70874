
use mapwright_indexing::*; use std::time::Instant;
fn main(){
 let text=std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
 let mut s=Simplifier::new();
 let mut all=vec![];
 for l in text.lines(){ let v:serde_json::Value=serde_json::from_str(l).unwrap();
  let Some(m)=v["map"].as_str() else{continue}; let m:IndexingMap=m.parse().unwrap();
  let mut best=f64::MAX;let mut arena=Arena::new(); let input=ArenaMap::import(&m,&mut arena);
  for _ in 0..40{  let mut arena=Arena::new(); let input=ArenaMap::import(&m,&mut arena);
   let t=Instant::now(); let r=s.run(&mut arena,&input,false); let e=t.elapsed().as_secs_f64()*1e6; std::hint::black_box(&r); if e<best{best=e;} }
  let out=s.run(&mut arena,&input,false); let _=out;
  all.push((best,v["name"].as_str().unwrap_or("?").to_string(),[0u64;8],m.operation_count(),m.constraints.len(), m.simplify().operation_count(), m.simplify().to_string()));
 }
 let tot:f64=all.iter().map(|a|a.0).sum();
 all.sort_by(|a,b|b.0.total_cmp(&a.0));
 for a in all.iter().take(std::env::var("TOP").map_or(0,|v|v.parse().unwrap())){println!("{:8.2} {:14} {:?} ops {} k {} -> {} | {}",a.0,a.1,a.2,a.3,a.4,a.5,a.6);}
 let mut groups=std::collections::BTreeMap::new();
 for a in &all{let g=a.1.rsplit_once('_').map(|x|x.0).unwrap_or("").to_string(); let e=groups.entry(g).or_insert((0,0.0,0,0,0,0)); e.0+=1;e.1+=a.0;e.2+=a.2[0];e.3+=a.2[1];e.4+=a.2[2];e.5+=a.2[3];}
 
 let mut sm=vec![];
 for t in ["(d0, d1) -> ((d0 * 8 + d1) floordiv 8, d1 + 2 - d0), domain: d0 in [0, 3], d1 in [0, 7]","(d0, d1) -> ((d0 * 8 + d1) floordiv 5, d1 mod 3), domain: d0 in [0, 3], d1 in [0, 7]"].into_iter().take(if all.is_empty(){1}else{2}) {
 let m:IndexingMap=t.parse().unwrap();
 let mut best=f64::MAX; let mut arena=Arena::new(); let input=ArenaMap::import(&m,&mut arena);
 for _ in 0..(if all.is_empty(){3000}else{50}){ let t=Instant::now(); for _ in 0..1000{ std::hint::black_box(s.run(&mut arena,&input,false)); } best=best.min(t.elapsed().as_secs_f64()*1e3);}
 let mut fb=f64::MAX;
 for _ in 0..50{ let mut ar:Vec<_>=(0..100).map(|_|{let mut a=Arena::new(); let i=ArenaMap::import(&m,&mut a);(a,i)}).collect(); let t=Instant::now(); for (a,i) in &mut ar{ std::hint::black_box(s.run(a,i,false)); } fb=fb.min(t.elapsed().as_secs_f64()*1e4);}
 sm.push((fb,best)); }
 println!("small fresh/reused us {sm:.3?}");
 println!("mean {:.3}  groups {:?}",tot/all.len() as f64,groups);
}