import { useNavigate, useParams, useSearch as useSearchOfScreen } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Static, TObject } from 'typebox';
import { parseSearch, type RawSearch, readSearch, writeSearch } from './search.ts';

/** Returns a parameter of the address: `useParam('id')` on `/decisions/$id`. Throws if the screen's path doesn't have it. */
export function useParam(name: string): string {
  const params: Readonly<Record<string, string>> = useParams({ strict: false });
  const value = params[name];
  if (value === undefined) throw new Error(`this screen has no parameter ${name}`);
  return value;
}

/** The same for screens with and without it: `/offers/$id/edit` and `/offers/new`. */
export function useOptionalParam(name: string): string | undefined {
  const params: Readonly<Record<string, string>> = useParams({ strict: false });
  return params[name];
}

/** Returns the raw query string of the screen. */
export function useSearchText(): string {
  // Use the screen's address: the browser's changes first, and the old screen would request data for it.
  return useSearchOfScreen({ strict: false, select: (search: RawSearch) => writeSearch(search) });
}

/** Changes to parameters; `undefined` removes one. */
export type SearchChange<Search> = { readonly [Name in keyof Search]?: Search[Name] | undefined };

/**
 * Changes the address of a screen. Pass a function for changes that depend on the current address: screens render later than
 * their address changes, so a second change could start from stale data.
 */
export type ChangeSearch<Search> = (
  change: SearchChange<Search> | ((now: Search) => SearchChange<Search>),
  how?: { readonly push: boolean },
) => void;

/**
 * Returns the query string typed by a schema, usually the query of the list operation, and a setter for some parameters
 * (`undefined` removes one). Changes replace the history entry, unless `push` is set for the back button to undo them.
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
        // Reads the current address, so that consecutive changes add up.
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
