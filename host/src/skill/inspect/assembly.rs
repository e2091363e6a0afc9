//! What putting a component together may cost: a component within it is copied each time that it is instantiated, so that
//! those which instantiate each other twice double with each level, and between every two copies whose functions call
//! each other lies an adapter of its own, which is compiled as well. None of that is in the code that a file brings.

use std::collections::HashMap;

use wasmparser::component_types::{
    ComponentDefinedType, ComponentDefinedTypeId, ComponentFuncTypeId, ComponentValType,
};
use wasmparser::types::TypesRef;
use wasmparser::{
    BinaryReaderError, CanonicalFunction, ComponentAlias, ComponentExternalKind, ComponentInstance,
    ComponentOuterAliasKind, ComponentTypeRef, Payload, PrimitiveValType,
};

/// What an entry of a component takes, each time that it is copied.
const ENTRY: u64 = 2;

/// What each export of an imported instance takes: its type is copied for each of them, in several hundred bytes.
const BROUGHT: u64 = 10;

/// What an instance takes beside, and memory above all.
const INSTANCE: u64 = 20;

/// What a function that the host calls or is called by takes.
const BORDER: u64 = 200;

/// What an adapter takes for the simplest function, and what it takes for each unit of [`Sizes`].
const ADAPTER: u64 = 1_500;
const FOR_EACH_UNIT: u64 = 50;

/// What a text or a list is beside a plain value: each is copied in a loop, a text from one encoding to another.
const COPIED: u64 = 40;

/// A component or a module, while it is read.
#[derive(Default)]
struct Part {
    is_root: bool,
    is_module: bool,
    /// What each copy of it takes.
    work: u64,
    /// What instantiating each component takes that it knows.
    components: Vec<u64>,
    /// Whether each of its functions, and of its instances, is the host's.
    functions: Vec<bool>,
    instances: Vec<bool>,
}

/// What was read of a file so far.
pub(super) struct Assembly {
    /// The parts around what is read now, the outermost first.
    open: Vec<Part>,
    sizes: Sizes,
}

impl Assembly {
    /// Before anything was read.
    pub(super) fn new() -> Assembly {
        let root = Part {
            is_root: true,
            ..Part::default()
        };
        Assembly {
            open: vec![root],
            sizes: Sizes::default(),
        }
    }

    /// What it takes so far; at the end, what the whole does.
    pub(super) fn work(&self) -> u64 {
        self.open.iter().fold(0, |sum, part| sum.saturating_add(part.work))
    }

    /// Takes in what was found valid. `types` are those of the part that it lies in.
    ///
    /// # Errors
    /// When it can't be read after all.
    pub(super) fn take(
        &mut self,
        payload: &Payload<'_>,
        types: Option<TypesRef<'_>>,
    ) -> Result<(), BinaryReaderError> {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                let is_module = matches!(payload, Payload::ModuleSection { .. });
                self.open.push(Part {
                    is_module,
                    ..Part::default()
                });
                return Ok(());
            }
            Payload::End(_) => {
                self.close();
                return Ok(());
            }
            _ => {}
        }
        let Some((part, around)) = self.open.split_last_mut() else {
            return Ok(());
        };
        match payload {
            Payload::InstanceSection(section) => {
                part.add(u64::from(section.count()).saturating_mul(INSTANCE));
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    let ComponentInstance::Instantiate { component_index, args } = instance? else {
                        part.add(ENTRY);
                        part.instances.push(false);
                        continue;
                    };
                    part.add(INSTANCE.saturating_add(part.component(component_index)));
                    part.instances.push(false);
                    // Each of what is given is compared with what is asked for.
                    for arg in args.iter().filter(|arg| arg.kind == ComponentExternalKind::Instance) {
                        let ty = types.map(|types| types[types.component_instance_at(arg.index)].exports.len());
                        part.add(ty.unwrap_or(0) as u64);
                    }
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    part.alias(&alias?, around);
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section.clone() {
                    match function? {
                        CanonicalFunction::Lower { func_index, .. } if !part.is_hosts(func_index) => {
                            let size = types.map_or(u64::MAX, |types| {
                                self.sizes.of_function(types, types.component_function_at(func_index))
                            });
                            part.add(ADAPTER.saturating_add(size.saturating_mul(FOR_EACH_UNIT)));
                        }
                        CanonicalFunction::Lift { .. } => {
                            part.functions.push(false);
                            part.add(BORDER);
                        }
                        _ => part.add(BORDER),
                    }
                }
            }
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    let is_root = part.is_root;
                    match import?.ty {
                        // Whatever it is, and whatever that instantiates.
                        ComponentTypeRef::Component(_) => part.components.push(u64::MAX),
                        ComponentTypeRef::Func(_) => part.functions.push(is_root),
                        ComponentTypeRef::Instance(_) => {
                            let index = part.instances.len() as u32;
                            let ty = types.map(|types| types[types.component_instance_at(index)].exports.len());
                            part.add(BROUGHT.saturating_mul(ty.unwrap_or(0) as u64));
                            part.instances.push(is_root);
                        }
                        _ => {}
                    }
                    part.add(ENTRY);
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    let export = export?;
                    part.again(export.kind, export.index);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What was read last is complete; what is around it can instantiate it.
    fn close(&mut self) {
        if self.open.len() < 2 {
            return;
        }
        if let (Some(part), Some(around)) = (self.open.pop(), self.open.last_mut())
            && !part.is_module
        {
            around.components.push(part.work);
        }
    }
}

impl Part {
    fn add(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
    }

    fn component(&self, index: u32) -> u64 {
        self.components.get(index as usize).copied().unwrap_or(u64::MAX)
    }

    fn is_hosts(&self, function: u32) -> bool {
        self.functions.get(function as usize) == Some(&true)
    }

    /// Exported, what there is has a second index.
    fn again(&mut self, kind: ComponentExternalKind, index: u32) {
        self.add(ENTRY);
        match kind {
            ComponentExternalKind::Component => self.components.push(self.component(index)),
            ComponentExternalKind::Func => self.functions.push(self.is_hosts(index)),
            ComponentExternalKind::Instance => {
                let is_hosts = self.instances.get(index as usize) == Some(&true);
                self.instances.push(is_hosts);
            }
            _ => {}
        }
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>, around: &[Part]) {
        self.add(ENTRY);
        match alias {
            ComponentAlias::InstanceExport {
                kind, instance_index, ..
            } => {
                let is_hosts = self.instances.get(*instance_index as usize) == Some(&true);
                match kind {
                    ComponentExternalKind::Component => self.components.push(u64::MAX),
                    ComponentExternalKind::Func => self.functions.push(is_hosts),
                    ComponentExternalKind::Instance => self.instances.push(is_hosts),
                    _ => {}
                }
            }
            ComponentAlias::Outer {
                kind: ComponentOuterAliasKind::Component,
                count,
                index,
            } => {
                let work = match (*count as usize).checked_sub(1) {
                    None => self.component(*index),
                    Some(beyond) => around
                        .iter()
                        .nth_back(beyond)
                        .map_or(u64::MAX, |part| part.component(*index)),
                };
                self.components.push(work);
            }
            _ => {}
        }
    }
}

/// How much there is to copy of each type: every value in it, and more for a text or a list.
#[derive(Default)]
struct Sizes(HashMap<ComponentDefinedTypeId, u64>);

impl Sizes {
    fn of_function(&mut self, types: TypesRef<'_>, id: ComponentFuncTypeId) -> u64 {
        let function = &types[id];
        let values = function.params.iter().map(|(_, ty)| *ty).chain(function.result);
        self.of_all(types, values)
    }

    fn of_all(&mut self, types: TypesRef<'_>, values: impl Iterator<Item = ComponentValType>) -> u64 {
        values.fold(0, |sum: u64, ty| sum.saturating_add(self.of(types, ty)))
    }

    /// Types nest no deeper than the validator lets them.
    fn of(&mut self, types: TypesRef<'_>, ty: ComponentValType) -> u64 {
        let id = match ty {
            ComponentValType::Primitive(PrimitiveValType::String) => return COPIED,
            ComponentValType::Primitive(_) => return 1,
            ComponentValType::Type(id) => id,
        };
        if let Some(known) = self.0.get(&id) {
            return *known;
        }
        let size = match &types[id] {
            ComponentDefinedType::Primitive(own) => self.of(types, ComponentValType::Primitive(*own)),
            ComponentDefinedType::Record(record) => self.of_all(types, record.fields.values().copied()),
            ComponentDefinedType::Variant(variant) => {
                let count = variant.cases.len() as u64;
                count.saturating_add(self.of_all(types, variant.cases.values().filter_map(|case| case.ty)))
            }
            ComponentDefinedType::Tuple(tuple) => self.of_all(types, tuple.types.iter().copied()),
            ComponentDefinedType::List { element, .. } => COPIED.saturating_add(self.of(types, *element)),
            ComponentDefinedType::Map { key, value, .. } => {
                COPIED.saturating_add(self.of_all(types, [*key, *value].into_iter()))
            }
            ComponentDefinedType::FixedLengthList { element, length, .. } => {
                self.of(types, *element).saturating_mul(u64::from(*length))
            }
            ComponentDefinedType::Enum(names) | ComponentDefinedType::Flags(names) => names.len() as u64,
            ComponentDefinedType::Option { ty, .. } => self.of(types, *ty).saturating_add(2),
            ComponentDefinedType::Result { ok, err, .. } => {
                self.of_all(types, ok.iter().chain(err).copied()).saturating_add(2)
            }
            _ => COPIED,
        };
        self.0.insert(id, size);
        size
    }
}
