import type { DecisionTestGiven } from '@arbiter/contract/judging/decision-test-parts';
import type { ReactNode } from 'react';
import { listText, valueText } from '../../messages/catalogue/conditions.ts';
import { humanKey } from '../../messages/human-key.ts';
import { decisionTestTexts as t } from '../../messages/judging/decision-tests.ts';
import { Facts } from '../../ui/facts.tsx';
import type { Format } from '../../ui/format.ts';
import { useFormat } from '../../ui/provider.tsx';

/** The fictional customer, what happened before, and the request. */
export function GivenFacts({ given }: { readonly given: DecisionTestGiven }) {
  const format = useFormat();
  const { now, customer = {}, attributes = {}, segments = [], contacts = [], evidence, request = {}, seed = 0 } = given;
  return (
    <Facts
      facts={[
        { label: t.at, value: format.instant(now) },
        { label: t.customer, value: valuesOf(customer) ?? <span className="text-soft">{t.nothingKnown}</span> },
        { label: t.attributes, value: valuesOf(attributes) },
        { label: t.segments, value: segments.length === 0 ? null : listText(segments) },
        {
          label: t.contacts,
          value: linesOf(
            contacts.map(({ offer, channel, at, outcome }) => t.contact(offer, channel, format.instant(at), outcome)),
          ),
        },
        { label: t.outcomes, value: linesOf(outcomeLines(evidence)) },
        { label: t.request, value: linesOf(requestLines(request, format)) },
        { label: t.seed, value: seed === 0 ? null : seed },
      ]}
    />
  );
}

function linesOf(lines: readonly string[]): ReactNode {
  if (lines.length === 0) return null;
  return (
    <ul className="flex flex-col gap-0.5">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

const factText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : valueText(value);

const valueLines = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `${name}: ${factText(value)}`);

const valuesOf = (values: Readonly<Record<string, unknown>>): ReactNode => linesOf(valueLines(values));

function outcomeLines(evidence: DecisionTestGiven['evidence']): readonly string[] {
  const { offers = {}, categories = {}, total } = evidence ?? {};
  return [
    ...Object.entries({ ...offers, ...categories }).map(([name, counts]) => t.counts(name, counts)),
    ...(total === undefined ? [] : [t.counts(t.total, total)]),
  ];
}

function requestLines(request: NonNullable<DecisionTestGiven['request']>, format: Format): readonly string[] {
  const { context = {}, placements = [], excludeOffers = [], limit, ...texts } = request;
  return [
    ...Object.entries(texts).map(([name, value]) => `${humanKey(name)}: ${value}`),
    ...placements.map(
      ({ placement, channel }) =>
        `${humanKey('placement')}: ${listText([placement, ...((channel ?? []).length === 0 ? [] : [channel ?? ''])])}`,
    ),
    ...(limit === undefined ? [] : [`${humanKey('limit')}: ${format.number(limit)}`]),
    ...(excludeOffers.length === 0 ? [] : [`${humanKey('excludeOffers')}: ${listText(excludeOffers)}`]),
    ...valueLines(context),
  ];
}
