import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { stageName } from '@arbiter/contract/explanation/texts';
import { ArrowLeftRight } from 'lucide-react';
import { type FormEvent, useMemo, useState } from 'react';
import Type from 'typebox';
import { FailurePanel } from '../../../forms/failure-panel.tsx';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { useSearch } from '../../../route/use-address.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { Link, useLinks } from '../../../ui/link.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Skeleton } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { CompareInputs } from './compare-inputs.tsx';
import { type ComparedSide, useComparedSide } from './compare-side.ts';
import { compareFunnels, compareOffers, type StepDifference } from './differences.ts';
import { OfferChanges } from './offer-changes.tsx';

/** Two decision IDs; the second can be `now` or `draft` for the same customer now. */
const CompareSearch = Type.Object({
  a: Type.Optional(Type.String()),
  b: Type.Optional(Type.String()),
  all: Type.Optional(Type.Boolean()),
});

/** Compares two decisions. */
export function ComparePage() {
  const [search, change] = useSearch(CompareSearch);
  const { a = '', b = '' } = search;
  const left = useComparedSide(a, null);
  const right = useComparedSide(b, left);
  const parents = [{ title: t.parent, to: addresses.decisions() }];
  const links = useLinks();
  const isPicking = a === '' || b === '';
  return (
    <Page
      title={t.compare}
      parents={parents}
      lead={t.compareLead}
      actions={
        isPicking ? null : (
          <Button
            icon={<ArrowLeftRight aria-hidden className="size-4" />}
            disabledReason={b === 'now' || b === 'draft' ? t.compareNowStays : null}
            onClick={() => links.go(addresses.compare(b, a))}
          >
            {t.compareSwap}
          </Button>
        )
      }
    >
      {isPicking ? (
        <PickTwo a={a} b={b} onPick={(first, second) => change({ a: first, b: second }, { push: true })} />
      ) : (
        <>
          <Sides left={left} right={right} />
          <Compared
            left={left}
            right={right}
            isAll={search.all === true}
            onAll={(all) => change({ all: all || undefined })}
          />
        </>
      )}
    </Page>
  );
}

interface PickProps {
  readonly a: string;
  readonly b: string;
  readonly onPick: (a: string, b: string) => void;
}

function PickTwo({ a, b, onPick }: PickProps) {
  const [first, setFirst] = useState(a);
  const [second, setSecond] = useState(b);
  const pick = (event: FormEvent) => {
    event.preventDefault();
    if (first.trim() !== '' && second.trim() !== '') onPick(first.trim(), second.trim());
  };
  return (
    <Section title={t.comparePick}>
      <form onSubmit={pick} className="flex flex-col gap-3">
        <p className="text-soft">{t.comparePickText}</p>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label={t.compareA} mono value={first} onChange={(event) => setFirst(event.target.value)} />
          <TextField label={t.compareB} mono value={second} onChange={(event) => setSecond(event.target.value)} />
        </div>
        <Button kind="primary" submit className="self-start">
          {t.compareShow}
        </Button>
      </form>
    </Section>
  );
}

interface SidesProps {
  readonly left: ComparedSide;
  readonly right: ComparedSide;
}

function Sides({ left, right }: SidesProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {[left, right].map((side, at) => (
        <section
          // biome-ignore lint/suspicious/noArrayIndexKey: always exactly two entries
          key={at}
          aria-label={at === 0 ? t.compareA : t.compareB}
          className="flex min-w-0 flex-col gap-1 rounded-card border border-line bg-surface p-3"
        >
          <span className="text-caption text-faint">{at === 0 ? 'A' : 'B'}</span>
          {side.failure !== null ? (
            <FailurePanel operation={decisionOperations.get} failure={side.failure} retry={side.refresh} />
          ) : side.title === null ? (
            <Skeleton className="h-10 w-full" />
          ) : (
            <>
              <span className="font-medium">
                {side.to === null ? side.title : <Link to={side.to}>{side.title}</Link>}
              </span>
              <span className="text-dense text-soft">{side.about}</span>
            </>
          )}
        </section>
      ))}
    </div>
  );
}

interface ComparedProps extends SidesProps {
  readonly isAll: boolean;
  readonly onAll: (all: boolean) => void;
}

function Compared({ left, right, isAll, onAll }: ComparedProps) {
  const format = useFormat();
  const [a, b] = [left.explanation, right.explanation];
  const offers = useMemo(() => (a === null || b === null ? null : compareOffers(a, b)), [a, b]);
  const steps = useMemo(() => (a === null || b === null ? null : compareFunnels(a, b)), [a, b]);
  if (left.failure !== null || right.failure !== null) return null;
  if (offers === null || steps === null) {
    return left.isErased || right.isErased ? (
      <p className="text-soft">{t.erasedText}</p>
    ) : (
      <Skeleton className="h-80 w-full" />
    );
  }
  const facts = left.facts.map(([name, value], at) => ({ name, a: value, b: right.facts[at]?.[1] ?? t.notThere }));
  const shownFacts = isAll ? facts : facts.filter((row) => row.a !== row.b);
  const shownOffers = isAll ? offers : offers.filter(({ change }) => change !== 'same');
  const shownSteps = isAll ? steps : steps.filter((step) => step.a !== step.b);
  return (
    <>
      <CheckField label={t.compareAll} checked={isAll} onChange={(event) => onAll(event.target.checked)} />
      <Section title={t.compareOffers}>
        {shownOffers.length === 0 ? (
          <p className="text-soft">{t.compareNone}</p>
        ) : (
          <OfferChanges rows={shownOffers} a="A" b="B" />
        )}
      </Section>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Section title={t.compareFacts}>
          {shownFacts.length === 0 ? (
            <p className="text-soft">{t.compareNone}</p>
          ) : (
            <Rows rows={shownFacts.map(({ name, a: mine, b: theirs }) => [name, mine, theirs])} />
          )}
        </Section>
        <Section title={t.compareFunnel}>
          {shownSteps.length === 0 ? (
            <p className="text-soft">{t.compareNone}</p>
          ) : (
            <Rows
              rows={shownSteps.map((step) => [stageName(step.stage), countText(step, 'a'), countText(step, 'b')])}
            />
          )}
        </Section>
      </div>
      <CompareInputs left={left} right={right} />
    </>
  );

  function countText(step: StepDifference, side: 'a' | 'b'): string {
    const count = step[side];
    return count === null ? t.notThere : format.number(count);
  }
}

function Rows({ rows }: { readonly rows: readonly (readonly [name: string, a: string, b: string])[] }) {
  return (
    <table className="w-full table-fixed text-dense">
      <thead>
        <tr className="border-b border-line text-caption text-soft">
          <th scope="col" className="w-1/4 py-1 text-start font-medium max-sm:w-2/5" />
          <th scope="col" className="py-1 text-start font-medium">
            A
          </th>
          <th scope="col" className="py-1 text-start font-medium">
            B
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, a, b]) => (
          <tr key={name} className="border-b border-line align-top last:border-0">
            <th scope="row" className="py-1.5 pe-2 text-start font-normal text-soft">
              {name}
            </th>
            <td className="py-1.5 pe-2 break-words">{a}</td>
            <td className="py-1.5 break-words">{b}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
