/**
 * An oracle for families of catalogue records: what a few kinds of records, some of which refer to others, must answer to
 * any sequence of calls (docs/design/api-catalogue.md 1). It keeps records in memory and knows nothing of the server.
 */

/** A reference of one kind to another. */
export interface Parent {
  /** Property that holds the id: `categoryId`. */
  readonly property: string;
  readonly kind: string;
  readonly required: boolean;
  /** False: a PUT does not move the record. */
  readonly moves: boolean;
  readonly onDelete: 'refuse' | 'cascade';
}

export interface Kind {
  /** Last part of the path, and the name of the kind: `sub-categories`. */
  readonly kind: string;
  readonly statuses: readonly string[];
  /** True: records have `ordinal` and are listed by it. */
  readonly ordinal: boolean;
  readonly order: 'ordinal' | 'name' | 'newest';
  readonly parents: readonly Parent[];
  /** Property in whose scope names are unique; null: in the tenant. */
  readonly uniqueIn: string | null;
  /** What else a creation needs. */
  readonly constant: Readonly<Record<string, unknown>>;
  /** What a deletion answers. */
  readonly removal: 'empty' | 'success' | 'cascaded';
  /** A rule of the kind's own about its references: the code that it breaks, or null. */
  readonly rule?: (of: (kind: string) => readonly Entry[], fields: Fields) => string | null;
}

/** Properties of a record that the oracle knows. */
export type Fields = Readonly<Record<string, string | number | null>>;

export interface Entry {
  readonly kind: string;
  readonly id: string;
  /** Place in the order of creation. */
  readonly made: number;
  fields: Fields;
  version: number;
  deleted: boolean;
}

/** What a call may answer: one of these codes, or success when there is none. */
export type Verdict = readonly string[];

export interface World {
  readonly kinds: readonly Kind[];
  readonly entries: readonly Entry[];
  of(kind: string): Entry[];
  judgeCreate(kind: string, fields: Fields): Verdict;
  create(kind: string, id: string, fields: Fields): void;
  /** `entry` null: an id that is unknown. */
  judgeUpdate(kind: string, entry: Entry | null, changes: Fields, rowVersion: number | null): Verdict;
  update(entry: Entry, changes: Fields): void;
  judgeRemove(entry: Entry | null, addressed: 'query' | 'path'): Verdict;
  /** Returns how many records went with it. */
  remove(entry: Entry): number;
  /** The records of a list, in its order. */
  list(kind: string, filter: Fields, includeDeleted: boolean): Entry[];
}

export function createWorld(kinds: readonly Kind[]): World {
  const entries: Entry[] = [];

  function kindOf(name: string): Kind {
    const kind = kinds.find((one) => one.kind === name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    return kind;
  }

  function of(kind: string): Entry[] {
    return entries.filter((entry) => entry.kind === kind);
  }

  function live(kind: string, id: string | number | null | undefined): Entry | undefined {
    return of(kind).find((entry) => entry.id === id && !entry.deleted);
  }

  /** What forbids these fields; `given`: the properties that the call names. */
  function problems(kind: Kind, fields: Fields, given: readonly string[], self: Entry | null): string[] {
    const codes: string[] = [];
    for (const { property, kind: target } of kind.parents) {
      const id = fields[property] ?? null;
      if (given.includes(property) && id !== null && live(target, id) === undefined) {
        codes.push('reference_not_found');
      }
    }
    if (codes.length === 0 && kind.parents.some(({ property }) => given.includes(property))) {
      const broken = kind.rule?.(of, fields) ?? null;
      if (broken !== null) codes.push(broken);
    }
    const scope = kind.uniqueIn;
    const twin = of(kind.kind).find(
      (entry) =>
        entry !== self &&
        !entry.deleted &&
        entry.fields.name === fields.name &&
        (scope === null || entry.fields[scope] === fields[scope]),
    );
    if (twin !== undefined) codes.push('duplicate_name');
    return codes;
  }

  function judgeCreate(kind: string, fields: Fields): Verdict {
    return problems(kindOf(kind), fields, Object.keys(fields), null);
  }

  function create(kind: string, id: string, fields: Fields): void {
    entries.push({ kind, id, made: entries.length, fields, version: 1, deleted: false });
  }

  function judgeUpdate(kind: string, entry: Entry | null, changes: Fields, rowVersion: number | null): Verdict {
    const missing = entry === null || entry.deleted;
    const codes = missing ? ['not_found'] : [];
    const after = { ...entry?.fields, ...moving(kind, changes) };
    codes.push(...problems(kindOf(kind), after, Object.keys(moving(kind, changes)), entry));
    if (!missing && rowVersion !== null && rowVersion !== entry.version) codes.push('row_version_conflict');
    // A chosen value may be sent back unchanged.
    const fixed = kindOf(kind).parents.filter(({ moves, property }) => !moves && Object.hasOwn(changes, property));
    if (!missing && fixed.some(({ property }) => changes[property] !== entry.fields[property]))
      codes.push('validation_failed');
    return missing ? codes.filter((code) => code !== 'duplicate_name') : codes;
  }

  function update(entry: Entry, changes: Fields): void {
    entry.fields = { ...entry.fields, ...moving(entry.kind, changes) };
    entry.version += 1;
  }

  function moving(kind: string, changes: Fields): Fields {
    const fixed = kindOf(kind).parents.filter(({ moves }) => !moves);
    return Object.fromEntries(
      Object.entries(changes).filter(([property]) => !fixed.some((parent) => parent.property === property)),
    );
  }

  /** Live records that refer to this one. */
  function referrers(entry: Entry, onDelete: Parent['onDelete']): Entry[] {
    return kinds.flatMap((kind) =>
      kind.parents
        .filter((parent) => parent.kind === entry.kind && parent.onDelete === onDelete)
        .flatMap(({ property }) =>
          of(kind.kind).filter((other) => !other.deleted && other.fields[property] === entry.id),
        ),
    );
  }

  function judgeRemove(entry: Entry | null, addressed: 'query' | 'path'): Verdict {
    if (entry === null || entry.deleted) return [addressed === 'query' ? 'already_deleted' : 'not_found'];
    return referrers(entry, 'refuse').length > 0 ? ['in_use'] : [];
  }

  function remove(entry: Entry): number {
    const cascaded = referrers(entry, 'cascade');
    for (const gone of [entry, ...cascaded]) {
      gone.deleted = true;
      gone.version += 1;
    }
    return cascaded.length;
  }

  function list(kind: string, filter: Fields, includeDeleted: boolean): Entry[] {
    const { order } = kindOf(kind);
    const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
    return of(kind)
      .filter((entry) => includeDeleted || !entry.deleted)
      .filter((entry) => Object.entries(filter).every(([property, value]) => entry.fields[property] === value))
      .sort((a, b) => {
        if (order === 'newest') return b.made - a.made;
        const ordinals = order === 'ordinal' ? Number(a.fields.ordinal) - Number(b.fields.ordinal) : 0;
        return ordinals || byText(String(a.fields.name), String(b.fields.name)) || a.made - b.made;
      });
  }

  return { kinds, entries, of, judgeCreate, create, judgeUpdate, update, judgeRemove, remove, list };
}
