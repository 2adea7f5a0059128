import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { useEffect } from 'react';
import Type from 'typebox';
import { can } from '../../data/can.ts';
import { codeOf } from '../../data/failure.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { DeletedPin, RecordPin } from '../../forms/record-pin.tsx';
import { decisionTexts as t } from '../../messages/decisions.ts';
import { addresses } from '../../route/addresses.ts';
import { useParam, useSearch } from '../../route/use-address.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/progress.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useChannels, useReplay } from './calls.ts';
import { CreativeTab } from './creative-tab.tsx';
import { DecisionActions, DecisionBadges, leadOf } from './decision-head.tsx';
import { ErasedPanel } from './erased-panel.tsx';
import { InputsTab } from './inputs-tab.tsx';
import { ProofTab } from './proof-tab.tsx';
import { flowAddress } from './record-facts.tsx';
import { TraceTab } from './trace-tab.tsx';
import { useDecision } from './use-decision.ts';
import { useWriters } from './use-writers.ts';
import { WhyTab } from './why-tab.tsx';

/** Address state: open tab, selected offer and its rival, filters by step and fate. */
export const ExplorerSearch = Type.Object({
  tab: Type.Optional(Type.String()),
  offer: Type.Optional(Type.String()),
  rival: Type.Optional(Type.String()),
  step: Type.Optional(Type.String()),
  fate: Type.Optional(Type.String()),
});

/** The decision explorer: why the offers were shown, and the proof. */
export function DecisionPage() {
  const id = useParam('id');
  const [search, change] = useSearch(ExplorerSearch);
  const state = useDecision(id);
  const { nameOf } = useChannels();
  const write = useWriters();
  const data = state.record.data;
  const tab = search.tab ?? 'why';
  const replay = useReplay(id);
  const isReplayable = data?.inputsState === 'available';
  useEffect(() => {
    // Once per visit: each replay is recorded in the audit log.
    const isRequested = replay.replay !== null || replay.failure !== null || replay.busy;
    if (tab === 'proof' && isReplayable && !isRequested && !replay.byPress) void replay.ask();
  }, [tab, isReplayable, replay]);
  const parents = [{ title: t.parent, to: addresses.decisions() }];
  if (state.record.failure !== null) {
    const isUnknown = codeOf(state.record.failure) === 'not_found';
    return (
      <Page title={t.decision} parents={parents}>
        {isUnknown ? (
          <>
            <DeletedPin kind="decision" id={id} />
            <Empty title={t.notFoundTitle} actions={<ButtonLink to={addresses.decisions()}>{t.backToList}</ButtonLink>}>
              {t.notFound}
            </Empty>
          </>
        ) : (
          <FailurePanel
            operation={decisionOperations.get}
            failure={state.record.failure}
            retry={state.record.refresh}
          />
        )}
      </Page>
    );
  }
  if (data === undefined) {
    return (
      <Page title={t.decision} parents={parents}>
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-80 w-full" />
      </Page>
    );
  }
  // Identified by ID, because its title names the customer.
  const pin = <RecordPin kind="decision" id={data.recommendationId} name={null} />;
  if (data.inputsState === 'erased') {
    return (
      <Page
        title={t.titleErased}
        parents={parents}
        about={
          <>
            {pin}
            <DecisionBadges record={data} explained={null} replay={null} />
          </>
        }
      >
        <ErasedPanel record={data} />
      </Page>
    );
  }
  const { explained } = state;
  const tabs = [
    {
      key: 'why',
      label: t.tabs.why,
      content: <WhyTab record={data} explained={explained} search={search} change={change} write={write} />,
    },
    {
      key: 'inputs',
      label: t.tabs.inputs,
      content: <InputsTab id={data.recommendationId} permission={can({ ...decisionOperations.get, role: 'editor' })} />,
    },
    {
      key: 'trace',
      label: t.tabs.trace,
      content: <TraceTab explained={explained} trace={state.trace} record={data} />,
    },
    { key: 'creative', label: t.tabs.creative, content: <CreativeTab record={data} explained={explained} /> },
    { key: 'proof', label: t.tabs.proof, content: <ProofTab record={data} replay={replay} explained={explained} /> },
  ];
  return (
    <Page
      title={t.titleFor(data.customerId ?? '')}
      heading={
        data.customerId === null ? undefined : (
          <>
            {t.decisionFor}{' '}
            <Link to={addresses.customer(data.customerId)} look="plain" className="hover:underline">
              {data.customerId}
            </Link>
          </>
        )
      }
      parents={parents}
      about={
        <>
          {pin}
          <DecisionBadges record={data} explained={explained} replay={replay} />
        </>
      }
      lead={
        explained === null ? undefined : (
          <>
            {leadOf(data, explained, state.trace, nameOf, write)} {t.decisionSource}{' '}
            <Link to={flowAddress(data)} title={t.flowAtVersion} className="underline">
              {t.flowVersion(data.flow.key, data.flow.version)}
            </Link>
            .
          </>
        )
      }
      actions={<DecisionActions record={data} />}
    >
      <Tabs
        label={t.tabsLabel}
        tabs={tabs}
        value={tab}
        onChange={(key) => change({ tab: key === 'why' ? undefined : key })}
      />
    </Page>
  );
}
