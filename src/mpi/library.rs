//! The C side of MPI, and the only place that has `unsafe` of it. The libraries agree on the names
//! and meanings of functions, but not on what a communicator or a request is: an integer in the
//! family of MPICH, an address in that of Open MPI.

use crate::Error;
use libloading::{Library, Symbol};
use smallvec::SmallVec;
use std::ffi::{OsStr, OsString, c_char, c_int, c_void};

/// The environment's name for the library: a file, or what the system's loader finds.
pub const VARIABLE: &str = "MAPWRIGHT_MPI";

/// Names of the libraries of Open MPI; [`MPICH`] has those of MPICH and its relatives.
const OPEN: [&str; 2] = ["libmpi.so.40", "libmpi.so.80"];
const MPICH: [&str; 3] = ["libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12"];

/// The thread level at which calls come from any thread, one at a time.
const SERIALIZED: c_int = 2;

/// The first tag of messages; those of one stream have one, and are told apart by their order.
const TAG: c_int = 27_767;

/// The most streams between two processes: the standard grants tags up to 32,767.
pub(crate) const MOST_STREAMS: usize = 4096;

/// The most bytes of one message, whose number C has as an `int`; longer ones are several.
const MOST: usize = 1 << 30;

/// Handle by which a library names a communicator, a type, an error handler or a request.
trait Handle: Copy + Send + Sync + 'static {}

/// MPICH's.
impl Handle for c_int {}

/// Open MPI's, the address of something.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Address(*mut c_void);

// SAFETY: the library says what may be done with what is there, which is anything in any thread,
// one at a time.
unsafe impl Send for Address {}
// SAFETY: likewise.
unsafe impl Sync for Address {}
impl Handle for Address {}

type Transfer<H> = unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut H) -> c_int;

/// The functions that are used, and the constants.
struct Functions<H: Handle> {
    send: Transfer<H>,
    receive: Transfer<H>,
    test: unsafe extern "C" fn(*mut H, *mut c_int, *mut c_void) -> c_int,
    abort: unsafe extern "C" fn(H, c_int) -> c_int,
    /// `None` where somebody else started the library, who ends it, too.
    finalize: Option<unsafe extern "C" fn() -> c_int>,
    error_text: unsafe extern "C" fn(c_int, *mut c_char, *mut c_int) -> c_int,
    /// A communicator of our own, so that nobody else's messages are taken for ours.
    all: H,
    byte: H,
    ignore: *mut c_void,
    rank: usize,
    size: usize,
    /// Keeps the functions where they are.
    library: Library,
}

// SAFETY: functions, and an address that nobody reads.
unsafe impl<H: Handle> Send for Functions<H> {}
// SAFETY: likewise; calls come one at a time, as `Calls` says.
unsafe impl<H: Handle> Sync for Functions<H> {}

/// Function that is called while transfers are under way; its argument finds out which processes
/// these are with.
pub(crate) type GoOn<'a> = dyn FnMut(&dyn Fn() -> Vec<usize>) + 'a;

/// Function that runs its argument while no other thread calls the library.
pub(crate) type Turn<'a> = dyn Fn(&mut dyn FnMut()) + 'a;

/// A process, and the stream of messages between it and this one: what is sent on a stream arrives
/// in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Number of the process.
    pub rank: usize,
    /// Number of the stream, below [`MOST_STREAMS`].
    pub stream: usize,
}

/// A library that is at work. Its user calls one function at a time, but for transfers, which take
/// turns by themselves.
pub(crate) trait Calls: Send + Sync {
    fn rank(&self) -> usize;
    fn size(&self) -> usize;

    /// Sends and receives, in turns; between these `go_on` is asked, with what is still under way
    /// (the processes to send to, and to receive from), and must end the process rather than wait
    /// no longer.
    fn transfer<'t>(
        &self,
        outgoing: &mut dyn Iterator<Item = (Peer, &'t [u8])>,
        incoming: &mut dyn Iterator<Item = (Peer, &'t mut [u8])>,
        turn: &Turn<'_>,
        go_on: &mut GoOn<'_>,
    ) -> Result<(), Error>;

    /// Ends all processes.
    fn abort(&self);

    /// The end of all communication; to be called once.
    fn finalize(&self);
}

/// One transfer under way: whom with, and until it is done, the request.
struct Pending<H> {
    with: usize,
    request: H,
    is_done: bool,
}

/// Transfers under way, without memory of their own where they are few.
type PendingTransfers<H> = SmallVec<[Pending<H>; 4]>;

impl<H: Handle> Functions<H> {
    fn check(&self, what: &str, code: c_int) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        let mut text: [c_char; 1024] = [0; 1024];
        let mut length = 0;
        // SAFETY: no library writes more than 512 characters.
        unsafe { (self.error_text)(code, text.as_mut_ptr(), &raw mut length) };
        let said = text.iter().take(usize::try_from(length).unwrap_or(0));
        let said: Vec<u8> = said.map(|c| *c as u8).collect();
        Err(Error::Failed(format!(
            "{what}: {}",
            String::from_utf8_lossy(&said)
        )))
    }

    /// Starts a transfer of memory that stays where it is until the request is done.
    ///
    /// # Safety
    /// So much memory is there, for writing if it is received.
    unsafe fn start(
        &self,
        (what, transfer): (&str, Transfer<H>),
        with: Peer,
        (mut data, mut length): (*mut u8, usize),
        pending: &mut PendingTransfers<H>,
    ) -> Result<(), Error> {
        loop {
            let count = length.min(MOST);
            let mut request = self.byte;
            // SAFETY: the caller's promise.
            let code = unsafe {
                transfer(
                    data.cast(),
                    count as c_int,
                    self.byte,
                    with.rank as c_int,
                    TAG + with.stream as c_int,
                    self.all,
                    &raw mut request,
                )
            };
            self.check(what, code)?;
            pending.push(Pending {
                with: with.rank,
                request,
                is_done: false,
            });
            length -= count;
            if length == 0 {
                return Ok(());
            }
            data = data.wrapping_add(count);
        }
    }
}

impl<H: Handle> Calls for Functions<H> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn transfer<'t>(
        &self,
        outgoing: &mut dyn Iterator<Item = (Peer, &'t [u8])>,
        incoming: &mut dyn Iterator<Item = (Peer, &'t mut [u8])>,
        turn: &Turn<'_>,
        go_on: &mut GoOn<'_>,
    ) -> Result<(), Error> {
        let mut pending = PendingTransfers::new();
        let (mut outcome, mut started) = (Ok(()), Ok(()));
        // SAFETY: the memory is borrowed until the end, which comes when every request is done;
        // `go_on` does not unwind, as it would have to be left before that.
        let mut all = || unsafe {
            for (from, bytes) in &mut *incoming {
                let memory = (bytes.as_mut_ptr(), bytes.len());
                self.start(("MPI_Irecv", self.receive), from, memory, &mut pending)?;
            }
            for (to, bytes) in &mut *outgoing {
                let memory = (bytes.as_ptr().cast_mut(), bytes.len());
                self.start(("MPI_Isend", self.send), to, memory, &mut pending)?;
            }
            Ok::<(), Error>(())
        };
        turn(&mut || {
            started = all();
            if let Err(error) = &started {
                // What was started cannot be taken back.
                eprintln!("mapwright: error: rank {}: {error}", self.rank);
                self.abort();
                std::process::abort();
            }
        });
        let mut left = pending.len();
        while left > 0 {
            turn(&mut || {
                for transfer in pending.iter_mut().filter(|transfer| !transfer.is_done) {
                    let mut is_done = 0;
                    // SAFETY: a request that was started and is not done.
                    let code = unsafe {
                        (self.test)(&raw mut transfer.request, &raw mut is_done, self.ignore)
                    };
                    // A request that failed is done.
                    if code != 0 || is_done != 0 {
                        transfer.is_done = true;
                        left -= 1;
                    }
                    if code != 0 && outcome.is_ok() {
                        outcome = self.check("MPI_Test", code);
                    }
                }
            });
            if left > 0 {
                let guard = AbortOnUnwind;
                go_on(&|| {
                    let waiting = pending.iter().filter(|transfer| !transfer.is_done);
                    let mut with: Vec<usize> = waiting.map(|transfer| transfer.with).collect();
                    with.sort_unstable();
                    with.dedup();
                    with
                });
                std::mem::forget(guard);
            }
        }
        outcome
    }

    fn abort(&self) {
        // SAFETY: the communicator is there until the process ends.
        unsafe { (self.abort)(self.all, 1) };
    }

    fn finalize(&self) {
        // SAFETY: nothing is under way: whoever transfers waits until that is done.
        self.finalize.map(|finalize| unsafe { finalize() });
    }
}

/// Ends the process where it is dropped, which happens when the stack unwinds.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// A function of the library.
///
/// # Safety
/// It has this type.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F, Error> {
    // SAFETY: the caller's promise.
    let found: Result<Symbol<'_, F>, _> = unsafe { library.get(name.as_bytes()) };
    found
        .map(|symbol| *symbol)
        .map_err(|_| Error::Failed(format!("the MPI library has no {name}")))
}

/// Starts a library of one of the families.
///
/// # Safety
/// The library is of the family that has such handles, whose constants these are: all processes,
/// bytes, errors that are returned, and a status that nobody wants.
unsafe fn start<H: Handle>(
    library: Library,
    (world, byte, returned): (H, H, H),
    ignore: *mut c_void,
) -> Result<Box<dyn Calls>, Error> {
    type Number<H> = unsafe extern "C" fn(H, *mut c_int) -> c_int;
    // SAFETY: the types are those of the standard, with the handles of the family.
    unsafe {
        let initialize: unsafe extern "C" fn(
            *mut c_int,
            *mut *mut *mut c_char,
            c_int,
            *mut c_int,
        ) -> c_int = function(&library, "MPI_Init_thread")?;
        type Asked = unsafe extern "C" fn(*mut c_int) -> c_int;
        let initialized: Asked = function(&library, "MPI_Initialized")?;
        let level_of: Asked = function(&library, "MPI_Query_thread")?;
        let handle_errors: unsafe extern "C" fn(H, H) -> c_int =
            function(&library, "MPI_Comm_set_errhandler")?;
        let duplicate: unsafe extern "C" fn(H, *mut H) -> c_int =
            function(&library, "MPI_Comm_dup")?;
        let rank: Number<H> = function(&library, "MPI_Comm_rank")?;
        let size: Number<H> = function(&library, "MPI_Comm_size")?;
        let mut functions = Functions {
            send: function(&library, "MPI_Isend")?,
            receive: function(&library, "MPI_Irecv")?,
            test: function(&library, "MPI_Test")?,
            abort: function(&library, "MPI_Abort")?,
            finalize: None,
            error_text: function(&library, "MPI_Error_string")?,
            all: world,
            byte,
            ignore,
            rank: 0,
            size: 0,
            library,
        };
        let (mut level, mut is_there) = (0, 0);
        functions.check("MPI_Initialized", initialized(&raw mut is_there))?;
        // As by mpi4py.
        if is_there != 0 {
            functions.check("MPI_Query_thread", level_of(&raw mut level))?;
        } else {
            functions.finalize = Some(function(&functions.library, "MPI_Finalize")?);
            let (count, words) = (std::ptr::null_mut(), std::ptr::null_mut());
            let code = initialize(count, words, SERIALIZED, &raw mut level);
            functions.check("MPI_Init_thread", code)?;
        }
        if level < SERIALIZED {
            return Err(Error::Failed(
                "the MPI library takes calls from one thread only".into(),
            ));
        }
        functions.check("MPI_Comm_set_errhandler", handle_errors(world, returned))?;
        let mut all = world;
        functions.check("MPI_Comm_dup", duplicate(world, &raw mut all))?;
        functions.all = all;
        functions.check("MPI_Comm_set_errhandler", handle_errors(all, returned))?;
        let (mut own, mut count) = (0, 0);
        functions.check("MPI_Comm_rank", rank(all, &raw mut own))?;
        functions.check("MPI_Comm_size", size(all, &raw mut count))?;
        functions.rank = usize::try_from(own).unwrap_or(0);
        functions.size = usize::try_from(count).unwrap_or(0);
        Ok(Box::new(functions))
    }
}

/// Registers a function that is called when the process ends by itself.
pub(crate) fn at_exit(work: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(work: extern "C" fn()) -> c_int;
    }
    // SAFETY: a function of the C library; what it is given is one for as long as the process is
    // there.
    unsafe { atexit(work) };
}

/// The names under which a library is looked for. Both families may be there: the launcher is of
/// one of them.
fn names() -> Vec<OsString> {
    if let Some(given) = std::env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
        return vec![given];
    }
    let is_open = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some();
    let names: &[&str] = if is_open { &OPEN } else { &MPICH };
    names.iter().map(OsString::from).collect()
}

/// Finds the library and starts it.
pub(crate) fn load() -> Result<Box<dyn Calls>, Error> {
    let names = names();
    let mut why = Vec::new();
    for name in &names {
        match open(name) {
            Ok(library) => return begin(library),
            Err(error) => why.push(error),
        }
    }
    Err(Error::NotFound {
        names: names
            .iter()
            .map(|name| name.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(", "),
        why: why.join("; "),
    })
}

fn open(name: &OsStr) -> Result<Library, String> {
    use libloading::os::unix;
    // Open MPI loads parts of itself, which look for its symbols among those of the process.
    let flags = unix::RTLD_NOW | unix::RTLD_GLOBAL;
    // SAFETY: the library is one of MPI, or what the user names as such.
    let found = unsafe { unix::Library::open(Some(name), flags) };
    found.map(Library::from).map_err(|error| error.to_string())
}

fn begin(library: Library) -> Result<Box<dyn Calls>, Error> {
    // SAFETY: only the address is looked at.
    let constant = |name: &str| unsafe {
        let found: Result<Symbol<'_, *mut c_void>, _> = library.get(name.as_bytes());
        found.ok().map(|symbol| {
            let address = symbol.try_as_raw_ptr();
            Address(address.unwrap_or(std::ptr::null_mut()))
        })
    };
    let open = (
        constant("ompi_mpi_comm_world"),
        constant("ompi_mpi_byte"),
        constant("ompi_mpi_errors_return"),
    );
    // SAFETY: who has these objects is Open MPI, where their addresses are the constants; all
    // others have the numbers of MPICH's agreement on binary compatibility.
    unsafe {
        if let (Some(world), Some(byte), Some(returned)) = open {
            return start(library, (world, byte, returned), std::ptr::null_mut());
        }
        let world: c_int = 0x4400_0000;
        let byte: c_int = 0x4c00_010d;
        let returned: c_int = 0x5400_0001;
        start(
            library,
            (world, byte, returned),
            std::ptr::without_provenance_mut(1),
        )
    }
}
