import { decisionFlowOperations } from '@arbiter/contract/catalogue/decision-flows';
import { type SimulatedAnswer, simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useState } from 'react';
import { useList, useMutate, useOperation } from '../../../data/use-operation.ts';
import { sameValue } from '../../../forms/editing/changes.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { profileTrialTexts as t } from '../../../messages/outlook/profile-trial.ts';
import { addresses } from '../../../route/addresses.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { sharesOf } from '../weights.ts';
import { weightedConfig, withTop } from './weighted-config.ts';

/** Offers compared. */
const top = 5;
/** Constant, so that both rankings differ only by the weights. */
const seed = '0';

/** Returns the default flow and its published config, each undefined until it has loaded, or if it doesn't exist. */
function useDefaultFlow() {
  const flows = useList(decisionFlowOperations.list, { query: { limit: 200 } });
  const published = flows.rows.filter(({ publishedVersions }) => publishedVersions.length > 0);
  const flow = published.find(({ isDefault }) => isDefault) ?? published[0];
  const version = flow?.publishedVersions.at(-1)?.version ?? 0;
  const versions = useOperation(
    decisionFlowOperations.versions,
    { query: { id: flow?.id ?? '', version } },
    { enabled: flow !== undefined },
  );
  const config = versions.data?.versions.find((each) => each.version === version)?.configSnapshot;
  return { flow, config, isMissing: flows.complete && flow === undefined };
}

interface Ranked {
  readonly of: unknown;
  readonly before: SimulatedAnswer;
  readonly after: SimulatedAnswer;
}

/** The first offers of a customer, as they are ranked now and by the weights of the form. */
export function ProfileTrial({ weights }: { readonly weights: unknown }) {
  const { flow, config, isMissing } = useDefaultFlow();
  const [customerId, setCustomerId] = useState('');
  const [ranked, setRanked] = useState<Ranked | null>(null);
  const { run, busy, failure } = useMutate(simulationOperations.run);
  const own = Object.fromEntries(sharesOf(weights).map(({ key, weight }) => [key, weight]));
  const shown = withTop(config, top);
  const draftConfig = Object.keys(own).length === 0 ? null : weightedConfig(shown, own);
  const reason = isMissing
    ? t.noFlow
    : customerId.trim() === ''
      ? t.noCustomer
      : draftConfig === null
        ? t.noScore
        : null;
  const current = [own, customerId.trim()];
  const compare = async () => {
    if (flow === undefined || shown === null || draftConfig === null) return;
    const shared = { customerId: customerId.trim(), flowId: flow.id, limit: top, seed };
    const before = await run({ body: { ...shared, draftConfig: shown } });
    const after = before === null ? null : await run({ body: { ...shared, draftConfig } });
    if (before === null || after === null || !('decisions' in before) || !('decisions' in after)) return;
    setRanked({ of: current, before, after });
  };
  return (
    <Section title={t.title}>
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.lead}</p>
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            label={t.customer}
            className="w-64 max-sm:w-full"
            autoComplete="off"
            value={customerId}
            onChange={({ target }) => setCustomerId(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              if (reason === null) void compare();
            }}
          />
          <Button busy={busy} disabledReason={reason} onClick={() => void compare()}>
            {t.compare}
          </Button>
        </div>
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={simulationOperations.run} retry={() => void compare()} />
        )}
        <div role="status" className="flex flex-col gap-2">
          {ranked === null ? null : <Ranking {...ranked} />}
          {ranked !== null && !sameValue(ranked.of, current) ? <p className="text-warn">{t.outdated}</p> : null}
        </div>
      </div>
    </Section>
  );
}

function Ranking({ before, after }: Omit<Ranked, 'of'>) {
  const format = useFormat();
  const placeBefore = new Map(before.decisions.map(({ offerId, rank }) => [offerId, rank]));
  if (after.decisions.length === 0) return <p className="text-soft">{t.nothing}</p>;
  return (
    <ol className="flex flex-col divide-y divide-line text-dense">
      {after.decisions.map(({ offerId, offerName, rank, score }) => {
        const earlier = placeBefore.get(offerId);
        return (
          <li key={`${rank} ${offerId}`} className="flex min-w-0 items-baseline gap-3 py-1.5">
            <span className="w-6 shrink-0 text-end tabular-nums">{rank}</span>
            <Link to={addresses.offer(offerId)} className="min-w-0 grow truncate">
              <span dir="auto">{offerName}</span>
            </Link>
            <span className="shrink-0 text-soft">
              {earlier === undefined ? t.wasNot : earlier === rank ? t.same : t.was(format.number(earlier))}
            </span>
            <span className="w-14 shrink-0 text-end tabular-nums">
              {score === undefined ? '–' : format.fixed(score, 3)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
