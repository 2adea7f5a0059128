import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type RecommendAnswer, recommendOperations } from '@arbiter/contract/deciding/recommendation';
import { Check } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { boot } from '../../data/boot.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { cx } from '../../ui/cx.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Outcome } from './outcome.tsx';
import { countDone, curlFor, type Done } from './progress.ts';
import { useFirstCustomer } from './use-first-customer.ts';
import { Why } from './why.tsx';

/** Decide, see why, ask again, call it from code. */
export function FirstSteps({ done }: { done: Done }) {
  const { done: count, all } = countDone(done);
  // Whoever has done all of them needs the first two only.
  const isNew = count < all;
  const links = useLinks();
  const first = useFirstCustomer();
  const channels = useOperation(channelOperations.list, { query: { limit: 100, status: 'active' } });
  const [customer, setCustomer] = useState<string | null>(null);
  const [channel, setChannel] = useState<string | null>(null);
  const [real, setReal] = useState<boolean | null>(null);
  const [answers, setAnswers] = useState<readonly RecommendAnswer[]>([]);
  const { run, busy, failure } = useMutate(recommendOperations.recommend);
  const block = boot();
  const customerId = customer ?? first.customerId;
  const channelId = channel ?? channels.data?.data.find(({ channelType }) => channelType === 'email')?.id ?? '';
  // Decisions that count belong to a tenant that is there to be played with.
  const isForPlay =
    first.isSample || (block.authenticated && (block.tenantStatus.isDemoMode || block.tenantStatus.isPlayground));
  const isReal = real ?? isForPlay;
  const question = { customerId, ...(channelId === '' ? {} : { channelId }) };
  const ask = async () => {
    const answer = await run({ body: { ...question, limit: 3, ...(isReal ? {} : { dryRun: true }) } });
    if (answer !== null) setAnswers([...answers, answer].slice(-2));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAnswers([]);
    void run({ body: { ...question, limit: 3, ...(isReal ? {} : { dryRun: true }) } }).then((answer) => {
      if (answer !== null) setAnswers([answer]);
    });
  };
  const [one, two] = answers;
  const channelType = channels.data?.data.find(({ id }) => id === channelId)?.channelType;
  const snippet = curlFor(new URL(links.href('/'), globalThis.location.href).href, {
    customerId,
    ...(channelType === undefined ? {} : { channel: channelType }),
  });
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Step number={1} title={t.decideNow} done={done.decided}>
        <form onSubmit={submit} className="flex flex-col gap-3">
          <div className="flex flex-wrap items-end gap-3">
            <TextField
              className="min-w-[min(9rem,100%)] flex-1"
              label={t.customer}
              required
              value={customerId}
              onChange={({ target }) => setCustomer(target.value)}
            />
            <SelectField
              className="min-w-[min(9rem,100%)] flex-1"
              label={t.channel}
              placeholder={t.anyChannel}
              value={channelId}
              options={(channels.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              onChange={({ target }) => setChannel(target.value)}
            />
            <Button kind="primary" submit busy={busy || (customer === null && first.loading)} shortcut="⏎">
              {t.decide}
            </Button>
          </div>
          <CheckField
            label={t.recorded}
            help={t.recordedHelp}
            checked={isReal}
            onChange={({ target }) => setReal(target.checked)}
          />
        </form>
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={recommendOperations.recommend} retry={() => void ask()} />
        )}
        {one === undefined ? null : <Outcome answer={one} />}
      </Step>
      <Step title={t.why}>
        <Why answer={one ?? null} />
      </Step>
      {isNew ? (
        <>
          <Step number={2} title={t.again} done={done.again}>
            <p className="text-soft">{t.againText}</p>
            <Button
              className="w-fit"
              busy={busy}
              disabledReason={one === undefined ? t.whyWait : null}
              onClick={() => void ask()}
            >
              {t.askAgain}
            </Button>
            {two === undefined ? null : <Outcome answer={two} />}
          </Step>
          <Step number={3} title={t.code} done={done.called === true}>
            <p className="text-soft">{t.codeText}</p>
            <pre className="rounded-card break-words whitespace-pre-wrap bg-sunken px-3 py-2 font-mono text-caption">
              {snippet}
            </pre>
            <div className="flex flex-wrap gap-2">
              <Copy text={snippet} what={t.snippet} labelled />
              <ButtonLink size="small" to={addresses.apiKeys()}>
                {t.makeKey}
              </ButtonLink>
            </div>
          </Step>
        </>
      ) : null}
    </div>
  );
}

function Step({
  number,
  title,
  done = false,
  children,
}: {
  /** Left out: it is no step to be done. */
  number?: number;
  title: string;
  done?: boolean;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <h2 className="flex items-center gap-2.5 text-section font-semibold">
        {number === undefined ? null : (
          <span
            className={cx(
              'inline-flex size-6 shrink-0 items-center justify-center rounded-full text-caption',
              done ? 'bg-pass-soft text-pass' : 'bg-sunken text-soft',
            )}
          >
            {done ? <Check aria-hidden className="size-3.5" strokeWidth={2.5} /> : number}
            <span className="hidden-text">{done ? t.done : t.step(number)}</span>
          </span>
        )}
        {title}
      </h2>
      {children}
    </section>
  );
}
