import { useNavigate, useParams, useSearch as useSearchOfScreen } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Static, TObject } from 'typebox';
import { parseSearch, type RawSearch, readSearch, writeSearch } from './search.ts';

/** A parameter of the address: `useParam('id')` on `/decisions/$id`. Throws when the screen's path has none of that name. */
export function useParam(name: string): string {
  const params: Readonly<Record<string, string>> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`this screen has no parameter ${name}`);
  return value;
}

/** All that the address of the screen says after its question mark, as it stands. */
export function useSearchText(): string {
  // Of the screen, not of the address: that changes first, and the screen that is left would ask for what nobody asked.
  return useSearchOfScreen({ strict: false, select: (search: RawSearch) => writeSearch(search) });
}

/** Some of the parameters of an address, changed; `undefined` takes one out. */
export type SearchChange<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

/**
 * Changes the address of a screen. A change that builds on what stands there is a function of it: the screen is drawn a moment
 * after its address has changed, and a second press within that moment would build on what the screen still shows.
 */
export type ChangeSearch<Search> = (
  change: SearchChange<Search> | ((now: Search) => SearchChange<Search>),
  how?: { readonly push: boolean },
) => void;

/**
 * What the address says after its question mark, typed by a schema, usually the query of the list's operation; and a setter
 * that changes some of it (`undefined` takes one out). A change replaces the entry of the history, unless `push` says that
 * the back button shall undo it.
 */
export function useSearch<S extends TObject>(schema: S): [Partial<Static<S>>, ChangeSearch<Partial<Static<S>>>] {
  const text = useSearchText();
  const navigate = useNavigate();
  const raw: RawSearch = useMemo(() => parseSearch(text), [text]);
  const search = useMemo(() => readSearch(schema, raw), [schema, raw]);
  const change = useCallback<ChangeSearch<Partial<Static<S>>>>(
    (changed, how = { push: false }) => {
      void navigate({
        to: '.',
        // Of the address as it is when this happens: two changes one after the other both count.
        search: (now: RawSearch) =>
          parseSearch(
            writeSearch({ ...now, ...(typeof changed === 'function' ? changed(readSearch(schema, now)) : changed) }),
          ),
        replace: !how.push,
        resetScroll: false,
      });
    },
    [navigate, schema],
  );
  return [search, change];
}
