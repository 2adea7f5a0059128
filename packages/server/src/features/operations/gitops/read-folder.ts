import type { ErrorEntry, PolicyFile } from '@arbiter/contract';
import { readYaml } from '../../../platform/read-yaml.ts';
import { secretMask } from '../../identity/audit/index.ts';
import { type Members, membersOf } from './json.ts';
import { type JudgedFiles, judgeFiles, missingNames, placeOf, type WantedObject } from './judge.ts';
import { createProperties, type FileKind } from './kinds.ts';
import { type Ref, refKey } from './layout.ts';
import { fileDefaults } from './session.ts';
import { settingsValues } from './settings-file.ts';
import type { Directory } from './tenant-files.ts';
import { valuesOf } from './wanted-values.ts';

/** A record described by files alone, without a database. */
export interface FolderObject {
  readonly type: string;
  readonly entityType: string;
  readonly path: string;
  readonly id: string;
  /** Its key or name. */
  readonly name: string;
  /** What its file holds, with ids in place of names. */
  readonly values: Members;
  /** What `POST` would take of it. */
  readonly create: Members;
}

export interface FolderFiles {
  readonly objects: readonly FolderObject[];
  /** What differs from the default. */
  readonly settings: Members;
  readonly errors: readonly ErrorEntry[];
}

/** Reads files of policy as code by the rules of an apply, without a tenant: everything that they name must be in them. */
export async function readPolicyFolder(files: readonly PolicyFile[]): Promise<FolderFiles> {
  const defaults = fileDefaults();
  const judged = await judgeFiles({ defaults, readLargeYaml: async (text) => readYaml(text) }, files);
  const directory = directoryOf(judged);
  const has = (entityType: string, ref: Ref): boolean => directory.ids.has(refKey(entityType, ref));
  const errors = [...judged.errors, ...missingNames(judged.names, has)];
  const emails = approversIn(judged);
  const objects = [...judged.objects.values()].map((wanted): FolderObject => {
    const { kind, path, ref } = wanted;
    const { values, problems } = valuesOf({ defaults, emails }, wanted, null, directory, placeholders(wanted));
    for (const { pointer, message } of problems) errors.push({ path: placeOf(path, pointer), message });
    const id = directory.ids.get(refKey(kind.entityType, ref))!;
    const create = creationOf(kind, values);
    return { type: kind.type, entityType: kind.entityType, path, id, name: ref.at(-1)!, values, create };
  });
  return { objects, settings: settingsValues(judged.settings ?? {}, directory), errors };
}

/** IDs by the order of the paths, so that equal folders are judged alike. */
function directoryOf({ objects }: JudgedFiles): Directory {
  const ids = new Map<string, string>();
  const refs: Directory['refs'] = new Map();
  for (const [at, path] of [...objects.keys()].sort().entries()) {
    const { kind, ref } = objects.get(path)!;
    const id = `00000000-0000-7000-8000-${String(at + 1).padStart(12, '0')}`;
    ids.set(refKey(kind.entityType, ref), id);
    refs.set(id, { entityType: kind.entityType, ref });
  }
  return { ids, refs };
}

/** A folder doesn't say who the users are, so each approver that it names counts as one. */
function approversIn({ objects }: JudgedFiles): ReadonlyMap<string, string> {
  const named = [...objects.values()].flatMap(({ body: { mandatoryApprovedBy: email } }) =>
    typeof email === 'string' ? [email] : [],
  );
  return new Map(
    [...new Set(named)].map((email, at) => [`00000000-0000-7000-8001-${String(at + 1).padStart(12, '0')}`, email]),
  );
}

/** No check reads a secret, so what the API shows in its place stands for it. */
const placeholders = ({ secrets }: WantedObject): Readonly<Record<string, string>> =>
  Object.fromEntries([...secrets.values()].map((name) => [name, secretMask]));

function creationOf(kind: FileKind, values: Members): Members {
  const taken = createProperties(kind.resource);
  const whole = membersOf(kind.rules.toCreate?.(values) ?? values);
  return Object.fromEntries(Object.entries(whole).filter(([name]) => Object.hasOwn(taken, name)));
}
