use mapwright_indexing::*; use std::time::Instant;
fn family(name:&str, n:usize)->IndexingMap{
 let dims=[16i64;64];
 let v=|i:usize| d(i%64);
 match name {
 "mixed" => { let mut e=c(0); for i in 0..n/3 { e=Expr::raw(Op::Add,e,v(i)*((i as i64%7)+1)); if i%5==4 { e=Expr::raw(if i%2==0{Op::FloorDiv}else{Op::Mod},e,c(3+(i as i64%11))); } } IndexingMap::from_dims(&dims,[e]) }
 "sum" => { let mut e=c(0); for i in 0..n/2 { e=Expr::raw(Op::Add,e,v(i)*((i as i64%7)+1)); } IndexingMap::from_dims(&dims,[e]) }
 "digits" => { let mut e=c(0); for i in 0..n/6 { let x=Expr::raw(Op::Add,v(i)*5,v(i*7+3)*3); let q=Expr::raw(if i%2==0{Op::FloorDiv}else{Op::Mod},x,c(2+(i as i64%97))); e=Expr::raw(Op::Add,e,q*(1+(i as i64%13))); } IndexingMap::from_dims(&dims,[e]) }
 "distinct" => { let mut e=c(0); for i in 0..n/4 { let q=Expr::raw(Op::FloorDiv,v(i)*(3+(i as i64)),c(1009+i as i64)); e=Expr::raw(Op::Add,e,q); } IndexingMap::from_dims(&dims,[e]) }
 "deepmod" => { let mut e=v(0)*3; for i in 0..n/2 { e=Expr::raw(if i%2==0{Op::Mod}else{Op::Add},e,if i%2==0 {c(1000+(i as i64%17))} else {v(i)}); } IndexingMap::from_dims(&dims,[e]) }
 "deepdiv" => { let mut e=v(0)*3; for i in 0..n/4 { e=Expr::raw(Op::FloorDiv,Expr::raw(Op::Add,e,v(i)*1000),c(2+(i as i64%3))); } IndexingMap::from_dims(&dims,[e]) }
 "results" => { let mut r=vec![]; for i in 0..n/5 { let x=Expr::raw(Op::Add,v(i)*16,v(i+1)); r.push(Expr::raw(Op::Mod,Expr::raw(Op::FloorDiv,x,c(2+(i as i64%5))),c(7+(i as i64%9)))); } IndexingMap::from_dims(&dims,r) }
 "constraints" => { let mut m=IndexingMap::from_dims(&dims,[v(0)]); for i in 0..n/4 { let x=Expr::raw(Op::Add,v(i)*(3+(i as i64%11)),v(i*5+1)*(2+(i as i64/64%13))); m=m.with_constraint(x,Interval::new(1+(i as i64%3),150)); } m }
 "congruences" => { let mut m=IndexingMap::from_dims(&dims,[v(0)]); for i in 0..n/5 { let x=Expr::raw(Op::Add,v(i)*(3+(i as i64%11)),v(i*5+1)*(2+(i as i64/64%13))); m=m.with_constraint(Expr::raw(Op::Mod,x,c(7+(i as i64%5))),Interval::new(0,4)); } m }
 "extrema" => { let mut e=v(0); for i in 0..n/3 { e=Expr::raw(if i%2==0{Op::Min}else{Op::Max},e,Expr::raw(Op::Add,v(i),v(i*3+1))); } IndexingMap::from_dims(&dims,[e]) }
 "reshapes" => { let mut map=IndexingMap::identity(&[4,6,8,10,12]); let shapes:[&[i64];3]=[&[4,6,8,10,12],&[24,80,12],&[12,10,8,6,4]]; let mut k=0; let mut ops=0; while ops<n { let from=shapes[k%3]; let to=shapes[(k+1)%3]; let mut lin=c(0); for (i,s) in to.iter().enumerate(){ lin=lin*(*s)+d(i);} let mut st=1;let mut rs=vec![]; for (i,s) in from.iter().enumerate().rev(){ let e=lin.clone().floor_div(st); rs.push(if i==0{e}else{e.modulo(*s)}); st*=s;} rs.reverse(); let step=IndexingMap::from_dims(to,rs); map=compose(&step,&map); map.constraints.clear(); ops+=20; k+=1; } map }
 _=>unreachable!()
 }}
fn main(){ let only:Vec<String>=std::env::args().skip(1).collect();
 for f in ["mixed","sum","digits","distinct","deepmod","deepdiv","results","constraints","congruences","extrema","reshapes"]{ if !only.is_empty()&&!only.iter().any(|o|o==f){continue}
  print!("{f:12}"); let mut last=0.0; for n in [1000usize,10_000,100_000]{ let m=family(f,n); let mut s=Simplifier::new(); let mut best=f64::MAX; for _ in 0..(if n>20000{2}else{4}){ let mut a=Arena::new(); let i=ArenaMap::import(&m,&mut a); let t=Instant::now(); let r=s.run(&mut a,&i,false); std::hint::black_box(&r); best=best.min(t.elapsed().as_secs_f64()*1e6); } let g=n as f64*(n as f64).log2(); print!(" {n}: {best:.0} us ({:.2} ns/nlogn, x{:.1})",best*1e3/g,if last>0.0{best/last}else{0.0}); last=best; } println!(); }
}
