import type { LucideIcon } from 'lucide-react';
import { editTitles } from '../messages/edit-titles.ts';
import type { Command, RailPlace, Screen } from '../route/feature.ts';

/** What the console knows about a type of record besides its pages. */
export interface RecordKindValue {
  readonly titles: { readonly one: string; readonly many: string };
  /** Shown next to the title in sidebar, palette and lists of records. */
  readonly icon: LucideIcon;
  /** Path of the list. */
  readonly path: string;
  /** Address of a record. */
  readonly record: (id: string) => string;
  /** Addresses of the form for a new record, and of the one that changes a record. */
  readonly create: string;
  readonly edit: (id: string) => string;
  /** Place of the list in the sidebar, with an icon if it has another one there; null: other pages link to it. */
  readonly rail: (Omit<RailPlace, 'icon'> & Partial<Pick<RailPlace, 'icon'>>) | null;
  /** Where pins and recent records are stored. `page`: only until it reloads, because the ID is customer data. */
  readonly pins: 'browser' | 'page';
}

/** Declares a type of record. Its pages are at `path/<id>` unless `record` says otherwise. */
export function recordKind(
  kind: Omit<RecordKindValue, 'record' | 'create' | 'edit'> & Partial<Pick<RecordKindValue, 'record'>>,
): RecordKindValue {
  const page = (id: string) => `${kind.path}/${encodeURIComponent(id)}`;
  return { record: page, create: `${kind.path}/new`, edit: (id) => `${page(id)}/edit`, ...kind };
}

export interface RecordPages {
  readonly list: Screen['load'];
  /** Null: records open on the page of the list. */
  readonly record: Screen['load'] | null;
  /** The form that creates and changes records; undefined: they can't be changed here yet. */
  readonly form?: Screen['load'];
}

/** Returns the screens of a record type for the `index.ts` of its feature. `pages` loads their components. */
export function recordScreens(kind: RecordKindValue, pages: RecordPages): readonly Screen[] {
  const { titles, icon, path, rail, create } = kind;
  const list = { path, title: titles.many, load: pages.list, ...(rail === null ? {} : { rail: { icon, ...rail } }) };
  const record = pages.record === null ? [] : [{ path: `${path}/$id`, title: titles.one, load: pages.record }];
  const form =
    pages.form === undefined
      ? []
      : [
          { path: create, title: editTitles.create(titles.one), load: pages.form },
          { path: `${path}/$id/edit`, title: editTitles.edit(titles.one), load: pages.form },
        ];
  return [list, ...record, ...form];
}

/** Returns the palette command that creates a record. */
export const createCommand = ({ titles, create }: RecordKindValue): Command => ({
  id: `create ${create}`,
  title: editTitles.create(titles.one),
  act: { open: create },
});
