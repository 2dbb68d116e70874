//! One loop, compiled for several instruction sets.

/// Defines a function whose body is compiled for the baseline and, on x86-64, for AVX2 and AVX-512;
/// the machine decides at run time. The body has to be a call of an `#[inline(always)]` function,
/// so that it is compiled anew each time.
macro_rules! multiversion {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident<$($generic:ident: $bound:path),*>($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $body:path;) => {
        $(#[$meta])*
        $visibility fn $name<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                fn wide<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
                    $body($($argument),*)
                }
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
                fn medium<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
                    $body($($argument),*)
                }
                if is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi2")
                {
                    // SAFETY: the machine has the instructions (a machine with these has the older
                    // ones listed).
                    return unsafe { wide($($argument),*) };
                }
                if is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
                {
                    // SAFETY: the machine has the instructions.
                    return unsafe { medium($($argument),*) };
                }
            }
            $body($($argument),*)
        }
    };
}

pub(crate) use multiversion;
