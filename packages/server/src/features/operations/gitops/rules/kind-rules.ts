import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../../db/tx.ts';
import type { FieldChange, Members } from '../json.ts';
import type { Ref } from '../layout.ts';

/** What rules may use of the work that they're part of. */
export interface RuleContext {
  /** The instant of the work. */
  readonly now: Date;
  readonly allowDataLoss: boolean;
  readonly tx: Tx;
  /** The person for whom the work is done: two keys of one person are one. */
  readonly person: string;
  /** email addresses of the tenant's users by id. */
  readonly emails: ReadonlyMap<string, string>;
  /** Calls an operation of the API in the transaction of the work; answers its body. */
  call(operationId: string, input: CallInput): Promise<Json>;
}

export interface CallInput {
  readonly params?: Members;
  readonly query?: Members;
  readonly body?: Members;
}

/** A record of the tenant and its file. */
export interface CurrentRecord {
  readonly id: string;
  readonly ref: Ref;
  /** As the API answers it. */
  readonly record: Members;
  /** As its file has it. */
  readonly body: Members;
}

/** A finding about a file. `pointer`: JSON Pointer into it. */
export interface FileProblem {
  readonly pointer: string;
  readonly message: string;
}

/** What a file wants of one object. */
export interface WantedBody {
  /** As the file has it, in canonical form. */
  readonly body: Members;
  /** The same with ids in place of names, and secrets filled in: values that the API takes. */
  readonly values: Members;
  /** Defaults for what the file omits. */
  readonly defaults: ReadonlyMap<string, Json>;
}

/** What a resource needs beyond its description (docs/design/api-settled.md 4, 5, 26 to 28). */
export interface KindRules {
  /** How records are called that have neither key nor name. */
  readonly calls?: {
    /** Null: a record that it is called by is not there. */
    ofRecord(record: Members, refOf: (id: Json | undefined) => Ref | null): Ref | null;
    /** `read`: a reference as files write it. Null: the file doesn't have it. */
    ofFile(body: Members, read: (value: Json) => Ref | null): Ref | null;
  };
  /** True: the list of records lacks something that a file contains, so each is read individually. */
  readonly whole?: true;
  /** Properties that only bodies have, and properties that only files have. */
  readonly hides?: readonly string[];
  readonly adds?: readonly string[];
  /** Properties that every file contains. If one doesn't, the stored value stays. */
  readonly always?: readonly string[];
  /** Properties that `update` can change although `PUT` doesn't accept them. */
  readonly changes?: readonly string[];
  /** Properties whose stored value stays when a file says nothing. */
  readonly keeps?: readonly string[];
  /** False for records that belong to the product and have no files. */
  isConfiguration?(record: Members): boolean;
  /** The properties of the file, ids not replaced yet. */
  toFile?(body: Members, record: Members, context: Pick<RuleContext, 'now' | 'emails'>): Members;
  /** Returns the canonical form of what a person wrote. */
  normalise?(body: Members): Members;
  /** Returns a file's problems beyond the operations' schemas. */
  problems?(body: Members): readonly FileProblem[];
  /** Returns what the API accepts for the file's content; a finding rejects it. */
  toValues?(
    values: Members,
    context: Pick<RuleContext, 'emails'>,
  ): { readonly values: Members } | { readonly problem: FileProblem };
  /** The body of `POST`, for its schema; default: the properties that `POST` has. */
  toCreate?(values: Members): Members;
  /**
   * Returns the mask of the stored secret that a place in the file means, if the place itself may move. Default: the
   * value at the same place (`masked`: by JSON Pointer into `current`).
   */
  maskOf?(pointer: string, wanted: Members, current: Members, masked: ReadonlyMap<string, string>): string | undefined;
  /** More bodies in a file that must be valid for `PUT`, by JSON Pointer. */
  bodiesInside?(values: Members): ReadonlyMap<string, Members>;
  /** Returns what the answer of an apply says about a written record; null: nothing. */
  remark?(record: Members): string | null;
  /** Returns a smaller change that gives up nothing, to use until whatever names the rest has changed. */
  additions?(current: CurrentRecord, wanted: WantedBody): WantedBody | null;
  /** Makes the record; answers its id. */
  create?(wanted: WantedBody, context: RuleContext): Promise<string>;
  /**
   * Changes the properties of these names; answers `replace` when data was given up for it, and `await` when nothing was
   * left to do but to wait for another person. `update` is what other resources do: `PUT` with the properties.
   */
  update?(
    current: CurrentRecord,
    wanted: WantedBody,
    names: readonly string[],
    context: RuleContext,
    update: (names: readonly string[]) => Promise<void>,
  ): Promise<'update' | 'replace' | 'await'>;
  /** Returns why the change waits until data may be lost; null: it doesn't. */
  losesData?(current: CurrentRecord, wanted: Members | null): FileProblem | null;
  /** True when only to try the change would make decisions wait, so that a plan must not; `wanted` null: it is deleted. */
  blocks?(current: CurrentRecord, wanted: Members | null): boolean;
  /** Runs before the record is deleted. Returns what it changed on the record. */
  beforeDelete?(current: CurrentRecord, context: RuleContext): Promise<readonly FieldChange[]>;
  /** JSON Pointer of the file for one into a body. */
  toPointer?(pointer: string): string;
}
