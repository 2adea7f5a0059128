import type { deleted, Infer, Resource } from '@arbiter/contract';
import type { TObject } from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { reply } from '../../../http/handler.ts';
import { refuseProblems } from '../../../platform/app-error.ts';
import { asAdvice, type Remark } from '../../../platform/remark.ts';
import { type ListOptions, listRecords, type RecordList } from './record-lists.store.ts';
import {
  type Addressed,
  type GovernedRow,
  type NewRecord,
  type RecordChange,
  type RecordSpec,
  toWire,
  type Wire,
} from './record-spec.ts';
import { compareVersions, listVersions, readVersion, type ShowPast } from './record-versions.service.ts';
import {
  createRecord,
  getRecord,
  hardDeleteRecord,
  sameId,
  softDeleteRecord,
  updateRecord,
} from './records.service.ts';

type ResourceChanges<R extends Resource> = Infer<TObject<R['changes']>>;
type Filters<R extends Resource> = Infer<TObject<R['filters']>>;
type Queries<R extends Resource> = Infer<TObject<R['queries']>>;

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly search?: string;
  readonly q?: string;
  readonly includeDeleted?: boolean;
}

/** Only resources with `readsDeleted` have this property. */
interface GetQuery {
  readonly includeDeleted?: boolean;
}

interface ChangeBody {
  readonly id?: string;
  readonly rowVersion?: number;
}

/** A reply of a DELETE: one of the resource's `removal`. */
interface RemovalReply {
  readonly status: number;
  readonly body: unknown;
}

/** A PUT without what addresses the record. */
type Changes<R extends Resource> = Omit<ResourceChanges<R> & ChangeBody, keyof ChangeBody>;

/** What a feature's records do besides being stored: its service's use cases, and how to show a record. */
interface OwnUseCases<R extends Resource, Row extends GovernedRow, Removed extends RemovalReply> {
  /** Returns rows as answers show them, in order and in one go. `view`: rows of a list may show less. */
  show(tx: Tx, rows: readonly Row[], view: 'one' | 'list'): Promise<Infer<R['record']>[]> | Infer<R['record']>[];
  create(tx: Tx, body: Infer<R['create']>): Promise<Row>;
  /** `rowVersion`: the caller's precondition, for `updateRecord`. */
  change(tx: Tx, id: string, rowVersion: number | undefined, changes: Changes<R>): Promise<Row>;
  remove(tx: Tx, id: string, addressed: Addressed): Promise<Removed>;
}

interface OptionalUseCases<R extends Resource, Row extends GovernedRow> {
  /** Returns what the resource's `queries` mean for a list. */
  narrow?(query: Queries<R>): Pick<ListOptions, 'filters' | 'where'>;
  /**
   * Returns what has no effect in a stored record, with paths relative to the record. Returned with the record, as
   * advice.
   */
  remarks?(tx: Tx, row: Row): Promise<readonly Remark[]> | readonly Remark[];
  /** Shows an earlier state. Default: the columns that the record shows. */
  showPast?: ShowPast<Row>;
}

/** A part that may be left out where its default does what the resource says. */
type Part<HasDefault extends boolean, Case> = HasDefault extends true ? Partial<Case> : Case;

/** True if a row shows exactly what the record says: the default would send every other column, too. */
type ShowsItsColumns<R extends Resource, Row> = [Wire<Row>, keyof Row] extends [
  Infer<R['record']>,
  keyof Infer<R['record']>,
]
  ? true
  : false;

/** True if every property of a body is a column, and none names another record, which would have to be live. */
type StoresAsSent<R extends Resource, Row, Body> = [Body, keyof Body, keyof R['references']] extends [
  NewRecord<Row>,
  keyof NewRecord<Row>,
  never,
]
  ? true
  : false;

/** True if a deletion deletes, and answers nothing. */
type DeletesSilently<R extends Resource> = R extends { readonly archives: true }
  ? false
  : R['removal'] extends typeof deleted
    ? true
    : false;

/**
 * What a feature provides for its records' handlers. Without `show`, answers have the row's columns; without `create`,
 * `change` and `remove`, the record is stored and deleted as its resource says. The compiler asks for those whose
 * default wouldn't fit (docs/adr/0115).
 */
type RecordUseCases<R extends Resource, Row extends GovernedRow, Removed extends RemovalReply> = OptionalUseCases<
  R,
  Row
> &
  Part<ShowsItsColumns<R, Row>, Pick<OwnUseCases<R, Row, Removed>, 'show'>> &
  Part<StoresAsSent<R, Row, Infer<R['create']>>, Pick<OwnUseCases<R, Row, Removed>, 'create'>> &
  Part<StoresAsSent<R, Row, Changes<R>>, Pick<OwnUseCases<R, Row, Removed>, 'change'>> &
  Part<DeletesSilently<R>, Pick<OwnUseCases<R, Row, Removed>, 'remove'>>;

interface SilentReply {
  readonly status: 204;
  readonly body: null;
}

/** Adds the defaults. The types above leave out no part whose default doesn't fit, which the casts rely on. */
function completed<R extends Resource, Row extends GovernedRow, Removed extends RemovalReply>(
  spec: RecordSpec<Row, R>,
  useCases: RecordUseCases<R, Row, Removed>,
): OwnUseCases<R, Row, Removed> & OptionalUseCases<R, Row> {
  const { softDelete } = spec.resource;
  const defaults = {
    show: (_tx: Tx, rows: readonly Row[]) => rows.map(toWire),
    create: (tx: Tx, body: NewRecord<Row>) => createRecord(tx, spec, body),
    change: (tx: Tx, id: string, rowVersion: number | undefined, changes: RecordChange<Row>) =>
      updateRecord(tx, spec, id, { rowVersion, change: () => changes }),
    remove: (tx: Tx, id: string, addressed: Addressed) =>
      noContent((softDelete ? softDeleteRecord : hardDeleteRecord)(tx, spec, id, { addressed })),
  };
  return { ...defaults, ...useCases } as unknown as OwnUseCases<R, Row, Removed> & OptionalUseCases<R, Row>;
}

/** The answer of a deletion that has nothing to say. */
export async function noContent(deletion: Promise<unknown>) {
  await deletion;
  return reply(204, null);
}

/**
 * Refuses another value of a property that cannot change (400): otherwise it would be ignored silently. The same value
 * passes. Throws 404 if the record doesn't exist.
 */
async function refuseOtherFixed<Row extends GovernedRow>(
  tx: Tx,
  spec: RecordSpec<Row>,
  id: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { fixed = {}, references } = spec.resource;
  const sent = Object.keys(fixed).filter((property) => changes[property] !== undefined);
  if (sent.length === 0) return;
  const row = new Map<string, unknown>(Object.entries(await getRecord(tx, spec, id)));
  const stored = (property: string, value: unknown) =>
    property in references ? String(value).toLowerCase() === row.get(property) : value === row.get(property);
  refuseProblems(
    sent
      .filter((property) => !stored(property, changes[property]))
      .map((property) => ({
        path: `/${property}`,
        message: `can't be changed; leave it out or send ${JSON.stringify(row.get(property))}`,
      })),
  );
}

/**
 * Handlers of the operations of `recordOperations`: unpack, call, shape. What the operations do is the feature's
 * (its service) or the default, how lists are read and records are found is the records' own.
 */
export function recordHandlers<R extends Resource, Row extends GovernedRow, Removed extends RemovalReply = SilentReply>(
  spec: RecordSpec<Row, R>,
  own: RecordUseCases<R, Row, Removed>,
) {
  const useCases = completed(spec, own);
  const filterColumns = Object.keys(spec.resource.filters);
  const showOne = async (tx: Tx, row: Row) => {
    const [shown] = await useCases.show(tx, [row], 'one');
    if (shown === undefined) throw new Error('each row has one response');
    return shown;
  };
  /** Adds what the write itself hasn't remarked on: it only looks at the properties that it was sent. */
  const adviseOn = async (tx: Tx, row: Row): Promise<void> => {
    const remarked = new Set(tx.remarks.map(({ path }) => path));
    const remarks = (await useCases.remarks?.(tx, row)) ?? [];
    tx.remarks.push(...asAdvice(remarks.filter(({ path }) => !remarked.has(path))));
  };
  const change = async (tx: Tx, id: string, body: ResourceChanges<R> & ChangeBody) => {
    const { id: _id, rowVersion, ...changes } = body;
    await refuseOtherFixed(tx, spec, id, changes);
    const row = await useCases.change(tx, id, rowVersion, changes);
    await adviseOn(tx, row);
    return reply(200, await showOne(tx, row));
  };
  return {
    async list(tx: Tx, { query }: { readonly query: PageQuery & Filters<R> & Queries<R> }) {
      const { limit, cursor, search, q, includeDeleted } = query;
      const narrowed = useCases.narrow?.(query);
      const equal = Object.entries(query).filter(([name]) => filterColumns.includes(name));
      const { rows, pagination }: RecordList<Row> = await listRecords(tx, spec, {
        limit,
        cursor,
        search: search ?? q,
        includeDeleted,
        ...narrowed,
        filters: { ...Object.fromEntries(equal), ...narrowed?.filters },
      });
      return reply(200, { data: await useCases.show(tx, rows, 'list'), pagination });
    },
    async create(tx: Tx, { body }: { readonly body: Infer<R['create']> }) {
      const row = await useCases.create(tx, body);
      await adviseOn(tx, row);
      return reply(201, await showOne(tx, row));
    },
    async get(tx: Tx, { params, query }: { readonly params: { readonly id: string }; readonly query: GetQuery }) {
      const row = await getRecord(tx, spec, params.id, query);
      await adviseOn(tx, row);
      return reply(200, await showOne(tx, row));
    },
    async update(tx: Tx, { body }: { readonly body: ResourceChanges<R> & ChangeBody & { readonly id: string } }) {
      return change(tx, body.id, body);
    },
    async updateById(
      tx: Tx,
      { params, body }: { readonly params: { readonly id: string }; readonly body: ResourceChanges<R> & ChangeBody },
    ) {
      return change(tx, sameId(params.id, body.id), body);
    },
    async delete(tx: Tx, { query }: { readonly query: { readonly id: string } }) {
      return useCases.remove(tx, query.id, 'query');
    },
    async deleteById(tx: Tx, { params }: { readonly params: { readonly id: string } }) {
      return useCases.remove(tx, params.id, 'path');
    },
    ...versionHandlers(spec, useCases),
  };
}

function versionHandlers<R extends Resource, Row extends GovernedRow>(
  spec: RecordSpec<Row, R>,
  { showPast }: OptionalUseCases<R, Row>,
) {
  return {
    async versions(tx: Tx, { params, query }: { readonly params: { readonly id: string }; readonly query: PageQuery }) {
      return reply(200, await listVersions(tx, spec, params.id, query, showPast));
    },
    async version(tx: Tx, { params }: { readonly params: { readonly id: string; readonly version: string } }) {
      const past = await readVersion(tx, spec, params.id, params.version, showPast);
      // The schema declares a version as part of a record; the values are the stored ones.
      return reply(200, past as Partial<Infer<R['record']>>);
    },
    async versionsDiff(
      tx: Tx,
      request: {
        readonly params: { readonly id: string };
        readonly query: { readonly from: number; readonly to: number };
      },
    ) {
      return reply(200, await compareVersions(tx, spec, request.params.id, request.query, showPast));
    },
  };
}
