import type { Operation } from '@arbiter/contract/core/operation';
import type { LucideIcon } from 'lucide-react';
import { call } from '../data/call.ts';
import { findBy } from '../data/find.ts';
import type { RowOf } from '../data/use-operation.ts';
import type { Found, RailPlace, Screen } from '../route/feature.ts';

/** What the console knows about a type of record besides its pages. */
export interface RecordKindValue {
  readonly titles: { readonly one: string; readonly many: string };
  /** Shown next to the title in sidebar, palette and lists of records. */
  readonly icon: LucideIcon;
  /** Path of the list. */
  readonly path: string;
  /** Address of a record. */
  readonly record: (id: string) => string;
  /** Place of the list in the sidebar, with an icon if it has another one there; null: other pages link to it. */
  readonly rail: (Omit<RailPlace, 'icon'> & Partial<Pick<RailPlace, 'icon'>>) | null;
  /** Loads the palette search; null: `app/palette/record-searches.ts` has one of its own. */
  readonly search: ((record: (id: string) => string) => Promise<RecordSearch>) | null;
  /** Where pins and recent records are stored. `page`: only until it reloads, because the ID is customer data. */
  readonly pins: 'browser' | 'page';
}

export type RecordSearch = (text: string, signal: AbortSignal) => Promise<readonly Found[]>;

/** Declares a type of record. Its pages are at `path/<id>` unless `record` says otherwise. */
export function recordKind(
  kind: Omit<RecordKindValue, 'record'> & Partial<Pick<RecordKindValue, 'record'>>,
): RecordKindValue {
  return { record: (id) => `${kind.path}/${encodeURIComponent(id)}`, ...kind };
}

/** Creates the palette search of a record type: names from the list, IDs from the record. `detail` tells namesakes apart. */
export function searchOf<const List extends Operation, const Get extends Operation>(
  { list, get }: { readonly list: List; readonly get: Get },
  record: (id: string) => string,
  detail: (row: RowOf<List>) => string,
  nameOf: (row: RowOf<List>) => string = ({ name }: { readonly name?: string }) => name ?? '',
): RecordSearch {
  return findBy(
    list,
    (search, limit) => ({ query: { search, limit } }) as never,
    (row) => ({ title: nameOf(row), detail: detail(row), open: record((row as { readonly id?: string }).id ?? '') }),
    async (id, signal) => (await call(get, { params: { id }, signal } as never)) as RowOf<List>,
  );
}

export interface RecordPages {
  readonly list: Screen['load'];
  /** Null: records open on the page of the list. */
  readonly record: Screen['load'] | null;
}

/** Returns the screens of a record type for the `index.ts` of its feature. `pages` loads their components. */
export function recordScreens({ titles, icon, path, rail }: RecordKindValue, pages: RecordPages): readonly Screen[] {
  const list = { path, title: titles.many, load: pages.list, ...(rail === null ? {} : { rail: { icon, ...rail } }) };
  return pages.record === null ? [list] : [list, { path: `${path}/$id`, title: titles.one, load: pages.record }];
}
