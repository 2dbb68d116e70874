//! Calls of functions of the user's: the frame in which XLA's typed foreign functions find
//! arguments, results and configuration.

use super::{
    callbacks::Token,
    foreign_api::{API, ForeignError, Future},
    slice,
};
use crate::{
    configuration::{self, Value},
    element::Element,
};
use mapwright_normalize::tokens::{TOKEN_OPERANDS, TOKEN_RESULTS};
use mapwright_runtime::{
    Context, ElementKind, Error,
    custom_call::{self, BufferView, Target},
};
use std::{
    cell::RefCell,
    ffi::{CStr, c_char, c_void},
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

/// Data that the framework adds to an execution.
#[derive(Clone, Copy)]
pub(crate) struct UserData {
    pub(crate) type_id: i64,
    pub(crate) data: Token,
}

thread_local! {
    /// Data of the executions that this thread is in, the innermost last.
    static CURRENT: RefCell<Vec<Arc<Vec<UserData>>>> = const { RefCell::new(Vec::new()) };
}

/// The execution that this thread is in, until it is dropped.
pub(crate) struct Entered(());

impl Entered {
    pub(crate) fn new(data: Arc<Vec<UserData>>) -> Self {
        CURRENT.with_borrow_mut(|all| all.push(data));
        Self(())
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(|all| all.pop());
    }
}

/// The number of a type by its name: the one that is asked for, or a new one.
pub(crate) fn type_id(name: &str, wanted: i64) -> i64 {
    static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    if wanted != 0 {
        return wanted;
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = names.iter().position(|known| known == name);
    let place = found.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    place as i64 + 1
}

/// Makes programs find a function of the user's by this name, unless there is one already.
pub(crate) fn register(name: &str, handler: *const c_void) {
    if custom_call::find(name).is_some() {
        return;
    }
    let target = Target {
        function: call,
        user: handler.cast_mut(),
    };
    // SAFETY: the header of the C API says that a handler may be called from any thread, as long as
    // the process lives.
    unsafe { custom_call::register(name, target) };
}

/// Execution as a function that belongs to it finds it. Functions of Python read the first field:
/// the callbacks that the framework added to it.
#[repr(C)]
pub(crate) struct Execution {
    callbacks: *const c_void,
    data: Option<Arc<Vec<UserData>>>,
    pub(super) context: *const Context,
}

impl Execution {
    pub(super) fn find(&self, type_id: i64) -> Option<*const c_void> {
        let found = self
            .data
            .as_ref()?
            .iter()
            .find(|data| data.type_id == type_id);
        found.map(|data| data.data.0)
    }
}

#[repr(C)]
struct Buffer {
    struct_size: usize,
    extension: *const c_void,
    element: i32,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

#[repr(C)]
struct List {
    struct_size: usize,
    extension: *const c_void,
    size: i64,
    kinds: *const i32,
    items: *const *const c_void,
}

#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *const c_void,
    size: i64,
    kinds: *const i32,
    names: *const *const Span,
    items: *const *const c_void,
}

#[repr(C)]
struct Span {
    start: *const c_char,
    length: usize,
}

#[repr(C)]
struct Scalar {
    element: i32,
    value: *const c_void,
}

#[repr(C)]
struct Numbers {
    element: i32,
    size: usize,
    data: *const c_void,
}

#[repr(C)]
struct Frame {
    struct_size: usize,
    extension: *const c_void,
    api: *const c_void,
    execution: *const Execution,
    stage: i32,
    arguments: List,
    results: List,
    attributes: Attributes,
    /// Place into which the function writes the work that it left running.
    future: *const Future,
}

const _: () = assert!(std::mem::offset_of!(Frame, arguments) == 40 && size_of::<Frame>() == 176);

/// The stage in which a function does its work.
const EXECUTE: i32 = 3;

type Handler = unsafe extern "C" fn(*const Frame) -> *mut ForeignError;

/// Objects that a list of pointers points to.
struct Held<T> {
    _all: Vec<Box<T>>,
    kinds: Vec<i32>,
    items: Vec<*const c_void>,
}

impl<T> Held<T> {
    fn new(all: Vec<Box<T>>, kind: i32) -> Self {
        Self {
            kinds: vec![kind; all.len()],
            items: all.iter().map(|one| ptr::from_ref(&**one).cast()).collect(),
            _all: all,
        }
    }

    fn list(&self) -> List {
        List {
            struct_size: size_of::<List>(),
            extension: ptr::null(),
            size: self.items.len() as i64,
            kinds: self.kinds.as_ptr(),
            items: self.items.as_ptr(),
        }
    }
}

/// The element type of tokens.
const TOKEN: i32 = 17;

/// Arguments or results of a call: its tensors, and tokens at these places.
fn buffers(views: &[BufferView], tokens: &[usize]) -> Result<Held<Buffer>, Error> {
    let one = |view: &BufferView| {
        let kind = ElementKind::from_code(view.kind)?;
        let element = Element::of_kind(kind)
            .ok_or_else(|| Error::unsupported(format!("elements of type {}", kind.name())))?;
        Ok(Box::new(Buffer {
            struct_size: size_of::<Buffer>(),
            extension: ptr::null(),
            element: element.foreign,
            data: view.data,
            rank: view.rank.into(),
            dims: view.shape,
        }))
    };
    let mut all = views.iter().map(one).collect::<Result<Vec<_>, Error>>()?;
    for place in tokens {
        let token = Box::new(Buffer {
            struct_size: size_of::<Buffer>(),
            extension: ptr::null(),
            element: TOKEN,
            data: ptr::null_mut(),
            rank: 0,
            dims: ptr::null(),
        });
        all.insert((*place).min(all.len()), token);
    }
    Ok(Held::new(all, 1))
}

/// A configuration as C has it, with everything that it points to.
struct Configuration {
    head: Attributes,
    _kinds: Vec<i32>,
    _names: Box<[Span]>,
    _name_list: Vec<*const Span>,
    _items: Vec<*const c_void>,
    _values: Vec<Item>,
}

#[allow(dead_code, reason = "what C points to is kept")]
enum Item {
    Scalar(Box<Scalar>),
    Numbers(Box<Numbers>),
    Text(Box<Span>),
    Dictionary(Box<Configuration>),
}

impl Configuration {
    /// Pointers into `values`, which has to stay as long as this.
    fn new(values: &[(String, Value)]) -> Self {
        let span = |text: &str| Span {
            start: text.as_ptr().cast(),
            length: text.len(),
        };
        let (mut kinds, mut items, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for (_, value) in values {
            let (kind, pointer, item) = match value {
                Value::Scalar(element, bytes) => {
                    let scalar = Box::new(Scalar {
                        element: *element,
                        value: bytes.as_ptr().cast(),
                    });
                    (3, ptr::from_ref(&*scalar).cast(), Item::Scalar(scalar))
                }
                Value::Numbers(element, size, bytes) => {
                    let numbers = Box::new(Numbers {
                        element: *element,
                        size: *size,
                        data: bytes.as_ptr().cast(),
                    });
                    (1, ptr::from_ref(&*numbers).cast(), Item::Numbers(numbers))
                }
                Value::Text(text) => {
                    let text = Box::new(span(text));
                    (4, ptr::from_ref(&*text).cast(), Item::Text(text))
                }
                Value::Dictionary(inner) => {
                    let inner = Box::new(Self::new(inner));
                    let head: *const c_void = ptr::from_ref(&inner.head).cast();
                    (2, head, Item::Dictionary(inner))
                }
            };
            kinds.push(kind);
            items.push(pointer);
            held.push(item);
        }
        let names: Box<[Span]> = values.iter().map(|(name, _)| span(name)).collect();
        let name_list: Vec<*const Span> = names.iter().map(ptr::from_ref).collect();
        Self {
            head: Attributes {
                struct_size: size_of::<Attributes>(),
                extension: ptr::null(),
                size: values.len() as i64,
                kinds: kinds.as_ptr(),
                names: name_list.as_ptr(),
                items: items.as_ptr(),
            },
            _kinds: kinds,
            _names: names,
            _name_list: name_list,
            _items: items,
            _values: held,
        }
    }
}

/// A call of a program's, handed on to the handler that the user registered.
unsafe extern "C" fn call(
    user: *mut c_void,
    context: *const Context,
    arguments: *const BufferView,
    argument_count: i64,
    results: *mut BufferView,
    result_count: i64,
    attributes: *const c_char,
) -> i32 {
    let arguments = slice(arguments, argument_count as usize);
    let results = slice(results.cast_const(), result_count as usize);
    // SAFETY: the runtime gives a text, and a context that lives through the call.
    let (text, own) = unsafe { (CStr::from_ptr(attributes).to_string_lossy(), &*context) };
    match handed_on(user, context, arguments, results, &text) {
        Ok(()) => 0,
        Err(error) => {
            own.set_error(&error);
            error.status as i32
        }
    }
}

fn handed_on(
    handler: *mut c_void,
    context: *const Context,
    arguments: &[BufferView],
    results: &[BufferView],
    text: &str,
) -> Result<(), Error> {
    let mut values = configuration::read(text).map_err(Error::unsupported)?;
    let tokens =
        [TOKEN_OPERANDS, TOKEN_RESULTS].map(|name| configuration::take_numbers(&mut values, name));
    let configuration = Configuration::new(&values);
    let arguments = buffers(arguments, &tokens[0])?;
    let results = buffers(results, &tokens[1])?;
    let data = CURRENT.with_borrow(|all| all.last().cloned());
    let first = data.as_ref().and_then(|data| data.first());
    let execution = Execution {
        callbacks: first.map_or(ptr::null(), |data| data.data.0),
        data,
        context,
    };
    let Attributes {
        size,
        kinds,
        names,
        items,
        ..
    } = configuration.head;
    let mut frame = Frame {
        // Up to what was last there when the size was agreed on: handlers compare it.
        struct_size: std::mem::offset_of!(Frame, future),
        extension: ptr::null(),
        api: (&raw const API).cast(),
        execution: &raw const execution,
        stage: EXECUTE,
        arguments: arguments.list(),
        results: results.list(),
        attributes: Attributes {
            struct_size: size_of::<Attributes>(),
            extension: ptr::null(),
            size,
            kinds,
            names,
            items,
        },
        future: ptr::null(),
    };
    // SAFETY: what was registered is a function of this type; everything that the frame points to
    // outlives the call.
    let failed = unsafe {
        let handler: Handler = std::mem::transmute(handler);
        handler((&raw mut frame).cast_const())
    };
    let ended = Future::wait(frame.future);
    ForeignError::take(failed).map_or(ended, Err)
}
