import { useSyncExternalStore } from 'react';
import { boot, onBoot } from '../../data/boot.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { needsTexts as t } from '../../messages/home.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { NeedList } from './need-list.tsx';
import type { Person } from './needs.ts';
import { useNeeds } from './use-needs.ts';

export interface NeedsYouProps {
  /** True: shows nothing while nothing needs the user. */
  readonly onlyIfAny?: boolean;
}

/** What needs the user's attention. */
export function NeedsYou({ onlyIfAny = false }: NeedsYouProps) {
  const block = useSyncExternalStore(onBoot, boot);
  if (!block.authenticated) return null;
  const { principal } = block.session;
  const person = { userId: principal?.userId ?? null, role: principal?.role ?? 'viewer' };
  return <Needs person={person} fourEyes={block.settings.fourEyesEnabled} onlyIfAny={onlyIfAny} />;
}

interface NeedsProps extends Required<NeedsYouProps> {
  readonly person: Person;
  readonly fourEyes: boolean;
}

function Needs({ person, fourEyes, onlyIfAny }: NeedsProps) {
  const { needs, queries } = useNeeds(person, fourEyes);
  const failed = queries.find(([{ failure }]) => failure !== null);
  const oldest = queries.reduce<number | null>(
    (at, [{ asOf }]) => (asOf === null || at === null ? null : Math.min(at, asOf)),
    Number.POSITIVE_INFINITY,
  );
  if (onlyIfAny && needs.length === 0 && failed === undefined) return null;
  return (
    <Section
      title={t.title}
      about={oldest === null ? null : <AsOf at={oldest} stale={queries.some(([{ old }]) => old)} word="checked" />}
      flush
    >
      {failed?.[0].failure ? (
        <div className="p-4">
          <FailurePanel failure={failed[0].failure} operation={failed[1]} retry={failed[0].refresh} />
        </div>
      ) : null}
      {queries.some(([{ loading }]) => loading) ? (
        <div className="p-4" role="status" aria-label={t.waiting}>
          <Skeleton />
        </div>
      ) : needs.length === 0 && failed === undefined ? (
        <p className="p-4 text-soft">{t.nothing}</p>
      ) : (
        <NeedList needs={needs} />
      )}
    </Section>
  );
}
