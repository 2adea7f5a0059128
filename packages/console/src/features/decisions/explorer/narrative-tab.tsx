import {
  type AgentNarrative,
  type NarrativeAnswer,
  type NarrativeMode,
  narrativeModes,
  narrativeOperations,
} from '@arbiter/contract/deciding/narratives';
import { PenLine } from 'lucide-react';
import { useCallback, useState } from 'react';
import { boot } from '../../../data/boot.ts';
import { useMutate } from '../../../data/use-operation.ts';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { narrativeTexts as t } from '../../../messages/decisions/narratives.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/page.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { Segmented } from '../../../ui/segmented.tsx';

/** Whether the tenant has opted in to explanations. */
export function isNarrativeOpen(): boolean {
  const block = boot();
  return block.authenticated && block.settings.aiAnalyzerSettings.llmExplanationsEnabled;
}

/** Describes a decision on demand, because the call is limited and, for regulators, recorded in the audit log. */
function useNarrative(id: string) {
  const { run, busy, failure } = useMutate(narrativeOperations.write);
  const [answer, setAnswer] = useState<Awaited<ReturnType<typeof run>>>(null);
  const ask = useCallback(
    async (mode: NarrativeMode, noCache: boolean) => setAnswer(await run({ params: { id }, body: { mode, noCache } })),
    [id, run],
  );
  return { ask, busy, failure, answer };
}

const readers = narrativeModes.map((key) => ({ key, label: t.readers[key] }));

/** The decision in words, for the reader that the user chooses. */
export function NarrativeTab({ id }: { readonly id: string }) {
  const [mode, setMode] = useState<NarrativeMode>('regulator');
  const { ask, busy, failure, answer } = useNarrative(id);
  const shown = answer?.mode === mode ? answer : null;
  const write = () => void ask(mode, shown !== null);
  return (
    <Section
      title={t.title}
      actions={
        <Button size="small" busy={busy} icon={<PenLine aria-hidden className="size-3.5" />} onClick={write}>
          {shown === null ? t.write : t.again}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-soft">{t.about}</p>
        <Segmented label={t.reader} options={readers} value={mode} onChange={setMode} />
        {failure !== null ? (
          <FailurePanel operation={narrativeOperations.write} failure={failure} retry={write} />
        ) : shown === null ? null : (
          <Written answer={shown} />
        )}
      </div>
    </Section>
  );
}

function Written({ answer: { narrative, model, createdAt, fallback } }: { readonly answer: NarrativeAnswer }) {
  const format = useFormat();
  return (
    <div role="status" className="flex max-w-prose flex-col gap-3">
      {typeof narrative === 'string' ? (
        narrative.split('\n\n').map((paragraph) => <p key={paragraph}>{paragraph}</p>)
      ) : (
        <ForAgents narrative={narrative} />
      )}
      <p className="text-caption text-soft">
        {t.by(model, format.instant(createdAt))} {fallback ? t.fallback : null}
      </p>
    </div>
  );
}

function ForAgents({ narrative: { reasons, blocked, caveats } }: { readonly narrative: AgentNarrative }) {
  return (
    <>
      <Part title={t.reasons} lines={reasons.map(({ text }) => text)} />
      <Part title={t.blocked} lines={blocked.map(({ offerName, reason }) => t.blockedOffer(offerName, reason))} />
      <Part title={t.caveats} lines={caveats.map(({ text }) => text)} />
    </>
  );
}

function Part({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  return (
    <div>
      <h3 className="font-medium">{title}</h3>
      {lines.length === 0 ? (
        <p className="text-soft">{t.none}</p>
      ) : (
        <ul className="list-disc pl-5">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
