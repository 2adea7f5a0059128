import { categoryOperations, subCategoryOperations } from '@arbiter/contract/catalogue/categories';
import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { creativeOperations } from '@arbiter/contract/catalogue/creatives';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { placementOperations } from '@arbiter/contract/catalogue/placements';
import { segmentOperations } from '@arbiter/contract/catalogue/segments';
import { useCallback } from 'react';
import { useAsk } from '../data/use-ask.ts';
import { useOperation } from '../data/use-operation.ts';
import { listTexts as t } from '../messages/lists/lists.ts';
import { scopeTexts } from '../messages/lists/scopes.ts';
import { addresses } from '../route/addresses.ts';
import { middleCut } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { NameOf } from './name-of.tsx';
import { isNamedKind, type NamedKind } from './named-kinds.ts';

/** Operations that read the records that rules, policies and segments refer to. */
const readers = {
  offer: offerOperations.get,
  creative: creativeOperations.get,
  channel: channelOperations.get,
  category: categoryOperations.get,
  subcategory: subCategoryOperations.get,
  placement: placementOperations.get,
  segment: segmentOperations.get,
} as const satisfies Readonly<Record<NamedKind, unknown>>;

/** Their addresses. */
const places: Readonly<Record<NamedKind, (id: string) => string>> = {
  offer: addresses.offer,
  creative: addresses.creative,
  channel: addresses.channel,
  category: addresses.category,
  subcategory: addresses.category,
  placement: addresses.placement,
  segment: addresses.segment,
};

/** The record's name, linked to its page. */
export function RecordLink({ kind, id }: { readonly kind: NamedKind; readonly id: string }) {
  return (
    <Link to={places[kind](id)}>
      <RecordName kind={kind} id={id} />
    </Link>
  );
}

/** Name of a record by ID; a placeholder while it loads, a text if it was deleted. */
export function RecordName({ kind, id }: { readonly kind: NamedKind; readonly id: string }) {
  const answer = useOperation(readers[kind], { params: { id } }, { keepPrevious: false });
  return <NameOf answer={answer} kind={kind} id={id} />;
}

/** Names of records by ID. */
export type Names = ReadonlyMap<string, string>;

/** Kind of a scope within a sentence: "sub-category". */
const scopeWord = (scope: string): string => (scopeTexts.kinds[scope] ?? scope).toLocaleLowerCase();

/** Scopes of a rule or a policy for files: type and name of each record, or its ID without a name. */
export const plainScopes = (scopes: ScopeTextProps['scopes'], names: Names = new Map()): string =>
  scopes
    .map(({ scope, scopeId }) =>
      scope === 'global' || scopeId === null ? t.everything : `${scopeWord(scope)} ${names.get(scopeId) ?? scopeId}`,
    )
    .join(', ');

/** Loads the names of records one by one. Deleted records have none. Throws if the server doesn't respond. */
export function useNamesOf() {
  const ask = useAsk();
  return useCallback(
    async (records: readonly { readonly kind: string; readonly id: string | null }[]): Promise<Names> => {
      const names = new Map<string, string>();
      for (const { kind, id } of records) {
        if (id === null || names.has(id) || !isNamedKind(kind)) continue;
        const record = await ask(readers[kind], { params: { id } });
        if (record !== null) names.set(id, record.name);
      }
      return names;
    },
    [ask],
  );
}

export interface ScopeTextProps {
  readonly scopes: readonly { readonly scope: string; readonly scopeId: string | null }[];
  /** Shows all of them; otherwise the first, and the number of others. */
  readonly all?: boolean;
}

/** Scopes of a rule or a policy. */
export function ScopeText({ scopes, all = false }: ScopeTextProps) {
  const shown = all ? scopes : scopes.slice(0, 1);
  // In a list, the row itself is the link.
  const Named = all ? RecordLink : RecordName;
  return (
    <span className={all ? 'flex flex-col gap-0.5' : 'truncate'}>
      {shown.map(({ scope, scopeId }) => (
        <span key={`${scope} ${scopeId}`} className="truncate">
          {scope === 'global' || scopeId === null ? (
            t.everything
          ) : (
            <>
              <span className="text-soft">{scopeWord(scope)}</span>{' '}
              {isNamedKind(scope) ? <Named kind={scope} id={scopeId} /> : middleCut(scopeId)}
            </>
          )}
        </span>
      ))}
      {!all && scopes.length > 1 ? <span className="text-soft"> +{scopes.length - 1}</span> : null}
    </span>
  );
}
