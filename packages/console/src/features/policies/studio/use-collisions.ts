import type { ContactPolicy } from '@arbiter/contract/catalogue/contact-policies';
import { offerOperations } from '@arbiter/contract/catalogue/offers';
import { useEffect, useMemo, useState } from 'react';
import { useAsk } from '../../../data/use-ask.ts';
import { useNamesOf } from '../../../forms/record-name.tsx';
import { type Collision, type CollisionFacts, collisionsOf } from './collisions.ts';

/** Offers of exclusion groups that are looked up. */
const maxOffers = 100;

/** Returns what's wrong with active policies; null while the records that they name are loading. */
export function useCollisions(policies: readonly ContactPolicy[] | null): readonly Collision[] | null {
  const ask = useAsk();
  const namesOf = useNamesOf();
  const [facts, setFacts] = useState<CollisionFacts | null>(null);
  useEffect(() => {
    if (policies === null) return;
    let isOver = false;
    const load = async () => {
      const targets = policies.flatMap(({ scopes }) =>
        scopes.map(({ scope, scopeId }) => ({ kind: scope, id: scopeId })),
      );
      const names = await namesOf(targets);
      const missing = new Set(targets.flatMap(({ id }) => (id === null || names.has(id) ? [] : [id])));
      const ids = new Set(policies.flatMap(groupOf).slice(0, maxOffers));
      const mandatory: CollisionFacts['mandatory'][number][] = [];
      for (const id of ids) {
        const offer = await ask(offerOperations.get, { params: { id } });
        if (offer?.mandatory === true && offer.status === 'active') mandatory.push({ id, name: offer.name });
      }
      if (!isOver) setFacts({ missing, mandatory });
    };
    // Without the facts, only what follows from the policies themselves is shown.
    load().catch(() => !isOver && setFacts({ missing: new Set(), mandatory: [] }));
    return () => {
      isOver = true;
    };
  }, [policies, ask, namesOf]);
  return useMemo(() => (policies === null || facts === null ? null : collisionsOf(policies, facts)), [policies, facts]);
}

const groupOf = ({ ruleType, config, scopes }: ContactPolicy): readonly string[] => {
  if (ruleType !== 'mutual_exclusion') return [];
  const listed = Array.isArray(config.excludeOfferIds) ? config.excludeOfferIds.map(String) : [];
  return [
    ...listed,
    ...scopes.flatMap(({ scope, scopeId }) => (scope === 'offer' && scopeId !== null ? [scopeId] : [])),
  ];
};
