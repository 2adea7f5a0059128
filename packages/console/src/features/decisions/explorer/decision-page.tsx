import { type DecisionRecord, decisionOperations } from '@arbiter/contract/deciding/decisions';
import type { Explanation } from '@arbiter/contract/explanation/explanation';
import { useEffect } from 'react';
import type { Static } from 'typebox';
import { can } from '../../../data/can.ts';
import { codeOf, type Failure } from '../../../data/failure.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { DeletedPin, RecordPin } from '../../../forms/record-pin.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { type SearchChange, useParam, useSearch } from '../../../route/use-address.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { later } from '../../../ui/later.tsx';
import { Link } from '../../../ui/link.tsx';
import { Page } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { type Replay, useChannels, useDecision, useReplay } from '../calls.ts';
import type { Writers } from '../gates/gate-story.ts';
import { useWriters } from '../use-writers.ts';
import { CreativeTab } from './creative-tab.tsx';
import { DecisionActions, DecisionBadges } from './decision-head.tsx';
import { ErasedPanel } from './erased-panel.tsx';
import { ExplorerSearch } from './explorer-search.ts';
import { InputsTab } from './inputs-tab.tsx';
import { leadOf } from './lead-of.ts';
import { isNarrativeOpen, NarrativeTab } from './narrative-tab.tsx';
import { ProofTab } from './proof-tab.tsx';
import { flowAddress } from './record-facts.tsx';
import { TraceTab } from './trace-tab.tsx';
import { WhyTab } from './why-tab.tsx';

/** The decision explorer: why the offers were shown, and the proof. */
export function DecisionPage() {
  const id = useParam('id');
  const [search, change] = useSearch(ExplorerSearch);
  const { record, explanation } = useDecision(id);
  const replay = useReplay(id);
  useReplayOnProofTab(replay, search.tab === 'proof' && record.data?.inputsState === 'available');
  if (record.failure !== null) return <FailedDecision id={id} failure={record.failure} retry={record.refresh} />;
  if (record.data === undefined) {
    return (
      <Page title={t.decision} parents={parents()}>
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-80 w-full" />
      </Page>
    );
  }
  if (explanation === null) return <ErasedDecision record={record.data} />;
  return <Explorer record={record.data} {...{ explanation, search, change, replay }} />;
}

const parents = () => [{ title: t.parent, to: addresses.decisions() }];

/** Replays once per visit of the tab, because each replay is recorded in the audit log. */
function useReplayOnProofTab(replay: Replay, isWanted: boolean): void {
  useEffect(() => {
    const isRequested = replay.replay !== null || replay.failure !== null || replay.busy;
    if (isWanted && !isRequested && !replay.byPress) void replay.ask();
  }, [isWanted, replay]);
}

interface FailedProps {
  readonly id: string;
  readonly failure: Failure;
  readonly retry: () => void;
}

function FailedDecision({ id, failure, retry }: FailedProps) {
  return (
    <Page title={t.decision} parents={parents()}>
      {codeOf(failure) === 'not_found' ? (
        <>
          <DeletedPin kind="decision" id={id} />
          <Empty title={t.notFoundTitle} actions={<ButtonLink to={addresses.decisions()}>{t.backToList}</ButtonLink>}>
            {t.notFound}
          </Empty>
        </>
      ) : (
        <FailurePanel operation={decisionOperations.get} failure={failure} retry={retry} />
      )}
    </Page>
  );
}

/** Identified by ID, because its title names the customer. */
const Pin = ({ record }: { readonly record: DecisionRecord }) => (
  <RecordPin kind="decision" id={record.recommendationId} name={null} />
);

function ErasedDecision({ record }: { readonly record: DecisionRecord }) {
  const about = (
    <>
      <Pin record={record} />
      <DecisionBadges record={record} explanation={null} replay={null} />
    </>
  );
  return (
    <Page title={t.titleErased} parents={parents()} about={about}>
      <ErasedPanel record={record} />
    </Page>
  );
}

/** A separate chunk, loaded on demand. */
const WhatIfTab = later(() => import('../what-if/what-if-tab.tsx').then((module) => module.WhatIfTab));

interface ExplorerProps {
  readonly record: DecisionRecord;
  readonly explanation: Explanation;
  readonly search: Partial<Static<typeof ExplorerSearch>>;
  readonly change: (change: SearchChange<Partial<Static<typeof ExplorerSearch>>>) => void;
  readonly replay: Replay;
}

function Explorer({ record, explanation, search, change, replay }: ExplorerProps) {
  const write = useWriters();
  const why = { record, explanation, search, change, write };
  const permission = can({ ...decisionOperations.get, role: 'editor' });
  const tabs = [
    { key: 'why', label: t.tabs.why, content: <WhyTab {...why} /> },
    {
      key: 'inputs',
      label: t.tabs.inputs,
      content: <InputsTab id={record.recommendationId} permission={permission} />,
    },
    ...(record.customerId === null
      ? []
      : [
          {
            key: 'what-if',
            label: t.tabs.whatIf,
            content: <WhatIfTab key={record.recommendationId} record={record} />,
          },
        ]),
    { key: 'trace', label: t.tabs.trace, content: <TraceTab record={record} explanation={explanation} /> },
    { key: 'creative', label: t.tabs.creative, content: <CreativeTab record={record} explanation={explanation} /> },
    ...(record.traceId !== null && isNarrativeOpen()
      ? [{ key: 'narrative', label: t.tabs.narrative, content: <NarrativeTab id={record.recommendationId} /> }]
      : []),
    { key: 'proof', label: t.tabs.proof, content: <ProofTab record={record} {...{ replay, explanation }} /> },
  ];
  return (
    <Page
      title={t.titleFor(record.customerId ?? '')}
      heading={<Heading record={record} />}
      parents={parents()}
      about={
        <>
          <Pin record={record} />
          <DecisionBadges record={record} explanation={explanation} replay={replay} />
        </>
      }
      lead={<Lead record={record} explanation={explanation} write={write} />}
      actions={<DecisionActions record={record} />}
    >
      <Tabs
        label={t.tabsLabel}
        tabs={tabs}
        value={search.tab ?? 'why'}
        onChange={(key) => change({ tab: key === 'why' ? undefined : key })}
      />
    </Page>
  );
}

function Heading({ record: { customerId } }: { readonly record: DecisionRecord }) {
  if (customerId === null) return t.decision;
  return (
    <>
      {t.decisionFor}{' '}
      <Link to={addresses.customer(customerId)} look="plain" className="hover:underline">
        {customerId}
      </Link>
    </>
  );
}

function Lead({ record, explanation, write }: Pick<ExplorerProps, 'record' | 'explanation'> & { write: Writers }) {
  const { nameOf } = useChannels();
  return (
    <>
      {leadOf(record, explanation, nameOf, write)} {t.decisionSource}{' '}
      <Link to={flowAddress(record)} title={t.flowAtVersion} className="underline">
        {t.flowVersion(record.flow.key, record.flow.version)}
      </Link>
      .
    </>
  );
}
