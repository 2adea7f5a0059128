import { type ErrorEntry, type PolicyFile, TenantSettingsUpdate } from '@arbiter/contract';
import { didYouMean, type Json, listWords } from '@arbiter/engine';
import Type from 'typebox';
import { refuseValue } from '../../../http/input/json-body.ts';
import { createFindUnknown, type FindUnknown } from '../../../http/input/unknown-properties.ts';
import { type Check, createChecks } from '../../../http/input/validation.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json.ts';
import { largeYaml, type ReadYaml, readYaml } from '../../../platform/read-yaml.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { type Members, mapJson, membersOf, sameJson } from './json.ts';
import { createProperties, type FileKind, kindAt, kinds, operationOf, withoutDefaults } from './kinds.ts';
import { pathOf, type Ref, settingsPath, toldRef } from './layout.ts';
import { entityAt, mapReferences } from './references.ts';
import type { Session } from './session.ts';
import { profileSetting, shortSettings } from './settings-file.ts';
import { picked, secretName } from './tenant-files.ts';

/** An object as a file wants it. */
export interface WantedObject {
  readonly kind: FileKind;
  readonly ref: Ref;
  readonly path: string;
  /** In canonical form, as an export would write it. */
  readonly body: Members;
  /** Names of its secrets as the file calls them, by JSON Pointer. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** A file that names a record, and where. */
export interface NamedPlace {
  readonly path: string;
  readonly pointer: string;
  readonly entityType: string;
  readonly ref: Ref;
}

export interface JudgedFiles {
  readonly objects: ReadonlyMap<string, WantedObject>;
  /** Null: there is no settings file. */
  readonly settings: Members | null;
  /** Yields every reference by name in a file. */
  readonly names: readonly NamedPlace[];
  readonly errors: ErrorEntry[];
}

/** Maximum errors in one answer (docs/design/api-settled.md 22). */
export const maximumErrors = 50;

export const placeOf = (path: string, pointer: string): string => `${path}#${pointer}`;

/** Throws 400 with the problems of the files, if any. */
export function refuseFiles(errors: readonly ErrorEntry[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`;
  throw new AppError('validation_failed', {
    detail: `${first.path} ${first.message}${more}`,
    errors: errors.slice(0, maximumErrors),
  });
}

/** What judging files needs of the work. */
export type JudgeContext = Pick<Session, 'defaults' | 'readLargeYaml'>;

/** Parses all files, in turns with other work, and returns what's wrong with each, as far as its text alone shows. */
export async function judgeFiles(session: JudgeContext, files: readonly PolicyFile[]): Promise<JudgedFiles> {
  const turns = takeTurns();
  const errors: ErrorEntry[] = [];
  const objects = new Map<string, WantedObject>();
  const names: NamedPlace[] = [];
  const seen = new Set<string>();
  let settings: Members | null = null;
  for (const { path, content } of files) {
    const pause = turns();
    if (pause !== undefined) await pause;
    const refuse = (pointer: string, message: string, code?: string) => {
      errors.push({ path: placeOf(path, pointer), message, ...(code === undefined ? {} : { code }) });
    };
    // For a folder with thousands of bad files, report the first fifty errors; more would add nothing.
    if (errors.length >= maximumErrors) break;
    if (path.split('/').some((part) => part.startsWith('.'))) continue;
    if (seen.has(path)) {
      refuse('', 'is listed more than once');
      continue;
    }
    seen.add(path);
    const [folder, file, ...deeper] = path.split('/');
    const named = kindAt(folder ?? '');
    const kind = file !== undefined && deeper.length === (named?.isNested ? 1 : 0) ? named : null;
    if (!path.endsWith('.yaml') || (kind === null && path !== settingsPath)) {
      refuse('', unknownFile(folder ?? '', file, deeper.length));
      continue;
    }
    const isLarge = content.length > largeYaml;
    const body = parsed(isLarge ? await session.readLargeYaml(content) : readYaml(content), refuse);
    if (body === null) continue;
    if (kind === null) {
      settings = shortSettings(body);
      checkSettings(settings, refuse);
      continue;
    }
    const wanted = judged(session, kind, path, body, refuse, names);
    if (wanted !== null) objects.set(path, wanted);
  }
  return { objects, settings, names, errors };
}

function unknownFile(folder: string, file: string | undefined, deeper: number): string {
  const kind = kindAt(folder);
  if (file !== undefined && kind?.isNested === true && deeper !== 1) {
    return `must be in a folder of its own parent: ${folder}/<parent>/<name>.yaml`;
  }
  if (file !== undefined && kind !== null) return 'is not a resource file; resource files end in .yaml';
  const folders = kinds.map(({ type }) => type);
  if (file === undefined) return `is not a known file; outside the folders only ${settingsPath} is allowed`;
  return `is not a known folder; folders are ${listWords(folders)}${didYouMean(folder, folders)}`;
}

type RefuseFile = (pointer: string, message: string, code?: string) => void;

function parsed(read: ReadYaml, refuse: RefuseFile): Members | null {
  if ('problems' in read) {
    for (const { pointer, line, message } of read.problems) {
      refuse(pointer ?? '', line === null ? message : `${message} (line ${line})`);
    }
    return null;
  }
  if (!isObject(read.value)) {
    refuse('', 'must be an object');
    return null;
  }
  try {
    // What no body may contain, no file may: it would reach the operations without passing that check.
    refuseValue(read.value);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.errors.length === 0) refuse('', error.detail ?? error.message);
    for (const { path, message } of error.errors) refuse(path, message);
    return null;
  }
  return membersOf(read.value);
}

/** Stands for ids that are not known before the records are there. */
const placeholder = '00000000-0000-7000-8000-000000000000';
const emptySecret = 'secret';

const checks = createChecks();

interface KindChecks {
  readonly create: Check;
  readonly change: Check;
  readonly unknown: FindUnknown;
  readonly created: ReadonlySet<string>;
}

const compiled = new Map<string, KindChecks>();

/** The checks that the operations make, compiled when a kind is first judged. */
function checksOf(kind: FileKind): KindChecks {
  const known = compiled.get(kind.type);
  if (known !== undefined) return known;
  const created = createProperties(kind.resource);
  const changed = { ...created, ...kind.resource.changes };
  const kindChecks: KindChecks = {
    create: checks.compile(kind.resource.create, 'body'),
    change: checks.compile(Type.Partial(Type.Object(kind.resource.changes)), 'body'),
    unknown: createFindUnknown({ ...operationOf(kind, 'create'), body: Type.Object(changed), query: Type.Object({}) }),
    created: new Set(Object.keys(created)),
  };
  compiled.set(kind.type, kindChecks);
  return kindChecks;
}

function judged(
  session: JudgeContext,
  kind: FileKind,
  path: string,
  read: Members,
  refuse: RefuseFile,
  names: NamedPlace[],
): WantedObject | null {
  const before: string[] = [];
  const report: RefuseFile = (pointer, message, code) => {
    before.push(pointer);
    refuse(pointer, message, code);
  };
  for (const name of Object.keys(read)) {
    if (!kind.properties.has(name)) {
      report(`/${name}`, `is not a property of ${kind.noun} files${didYouMean(name, [...kind.properties.keys()])}`);
    }
  }
  const secrets = new Map<string, string>();
  const found: NamedPlace[] = [];
  const body = withoutSecrets(read, secrets, report);
  const ref = refIn(kind, body, report);
  const shaped = mapReferences(kind, body, (place, value) => {
    const named = refFrom(value);
    if (named === null) {
      report(place.pointer, "must be a key or name, or a list of the parent's and its own");
      return placeholder;
    }
    if (named.length === 1 && isUuid(named[0])) return named[0];
    // A list can be nothing but a reference, also where a text may be a mere name.
    const isName = place.takesNames && named.length === 1;
    if (!isName) found.push({ path, pointer: place.pointer, entityType: entityAt(place, named), ref: named });
    return isName ? value : placeholder;
  });
  checkShape(kind, shaped, report);
  if (before.length > 0 || ref === null) return null;
  for (const { pointer, message } of kind.rules.problems?.(body) ?? []) report(pointer, message);
  if (before.length > 0) return null;
  names.push(...found);
  const own = path === pathOf(kind, ref);
  if (!own) report('', `must be at ${pathOf(kind, ref)}, because it contains ${toldRef(ref)}`);
  return own ? { kind, ref, path, body: canonical(session, kind, ref, body), secrets } : null;
}

/** The shape that the operations ask for. */
function checkShape(kind: FileKind, shaped: Members, refuse: RefuseFile): void {
  const { create, change, unknown, created } = checksOf(kind);
  const size = 0;
  const plain = membersOf(mapJson(shaped, (value) => (isSecret(value) ? emptySecret : undefined)));
  const whole = kind.rules.toCreate?.(plain) ?? plain;
  const first = Object.fromEntries(Object.entries(whole).filter(([name]) => created.has(name)));
  const rest = Object.fromEntries(
    Object.entries(plain).filter(([name]) => !created.has(name) && Object.hasOwn(kind.resource.changes, name)),
  );
  const toFile = (pointer: string) => kind.rules.toPointer?.(pointer) ?? pointer;
  const inside = [...(kind.rules.bodiesInside?.(plain) ?? [])];
  for (const [check, value, at] of [
    [create, first, ''] as const,
    [change, rest, ''] as const,
    ...inside.map(([pointer, body]) => [change, body, pointer] as const),
  ]) {
    try {
      check(value, size);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      for (const { path, message } of error.errors) refuse(`${at}${toFile(path)}`, message);
    }
  }
  for (const { path, nearest } of unknown('', first) ?? []) {
    if (!path.slice(1).includes('/')) continue;
    refuse(toFile(path), `is not a known property${nearest === null ? '' : `; did you mean ${nearest}?`}`);
  }
}

const settingsCheck = checks.compile(TenantSettingsUpdate, 'body');

/** The shape that the operation asks for. The operations that files call don't check it again. */
function checkSettings(settings: Members, refuse: RefuseFile): void {
  const named = typeof settings[profileSetting] === 'string' ? { [profileSetting]: placeholder } : {};
  try {
    settingsCheck({ ...settings, ...named }, 0);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { path, message } of error.errors) refuse(path, message);
  }
}

/** How the file calls its record. */
function refIn(kind: FileKind, body: Members, refuse: RefuseFile): Ref | null {
  if (kind.rules.calls !== undefined) {
    const called = kind.rules.calls.ofFile(body, refFrom);
    if (called === null) refuse('', `must identify the ${kind.noun}`);
    return called;
  }
  const name = body[kind.naming];
  if (typeof name !== 'string' || name === '') {
    refuse(`/${kind.naming}`, name === undefined ? 'is required' : 'must be a string');
    return null;
  }
  if (kind.parent === null) return [name];
  const parent = body[kind.parent];
  const above = parent === undefined ? null : refFrom(parent);
  if (above === null) {
    refuse(`/${kind.parent}`, 'must be the key or name of the parent record');
    return null;
  }
  return [above[0], ...above.slice(1), name];
}

/** A reference as files write it. */
export function refFrom(value: Json): Ref | null {
  if (typeof value === 'string') return value === '' ? null : [value];
  if (!Array.isArray(value) || value.some((part: Json) => typeof part !== 'string')) return null;
  const [first, ...rest] = value.map(String);
  return first === undefined ? null : [first, ...rest];
}

/** A secret as a file names it. */
export const isSecret = (value: Json): value is { readonly $secret: Json } =>
  isObject(value) && Object.hasOwn(value, '$secret');

function withoutSecrets(body: Members, secrets: Map<string, string>, refuse: RefuseFile): Members {
  mapJson(body, (value, pointer) => {
    if (!isSecret(value)) return undefined;
    const { $secret: name, ...rest } = membersOf(value);
    if (typeof name === 'string' && name !== '' && Object.keys(rest).length === 0) secrets.set(pointer, name);
    else refuse(pointer, 'must be { $secret: <name> }');
    return value;
  });
  return body;
}

/** The form that an export of the same object has. */
function canonical(session: JudgeContext, kind: FileKind, ref: Ref, body: Members): Members {
  const normal = kind.rules.normalise?.(body) ?? body;
  const short = Object.fromEntries(
    Object.entries(normal).map(([name, value]): [string, Json] => {
      const schema = kind.properties.get(name);
      return [name, schema === undefined || schema === null ? value : pickedBesideSecrets(value, schema)];
    }),
  );
  const named = mapReferences(kind, short, (_place, value) => {
    const one = refFrom(value);
    return one === null ? value : one.length === 1 ? one[0] : [...one];
  });
  const secret = mapJson(
    withoutDefaults(named, session.defaults.get(kind.type) ?? new Map(), sameJson),
    (value, pointer) => (isSecret(value) ? { $secret: secretName(kind.type, ref, pointer) } : undefined),
  );
  return membersOf(secret);
}

const pickedBesideSecrets: typeof picked = (value, schema) => (isSecret(value) ? value : picked(value, schema));

/** The records that files name and that neither a file nor the tenant has. */
export function missingNames(
  names: readonly NamedPlace[],
  has: (entityType: string, ref: Ref) => boolean,
): ErrorEntry[] {
  const nouns = new Map(kinds.map((kind) => [kind.entityType, kind.noun]));
  return names.flatMap(({ path, pointer, entityType, ref }) => {
    if (has(entityType, ref)) return [];
    const noun = nouns.get(entityType) ?? entityType;
    return [
      {
        path: placeOf(path, pointer),
        message: `refers to the ${noun} ${toldRef(ref)}, which does not exist`,
        code: 'reference_not_found',
      },
    ];
  });
}
