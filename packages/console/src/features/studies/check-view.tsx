import type { CheckResult } from '@arbiter/contract/judging/checks';
import { checkTexts as t } from '../../messages/judging/studies.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

type Finding = CheckResult['findings'][number];

const tones: Readonly<Record<Finding['severity'], Tone>> = { error: 'block', warning: 'warn', info: 'info' };

/** What never works or has no effect. */
export function CheckView({ result: { findings, coverage } }: { readonly result: CheckResult }) {
  const format = useFormat();
  const [proved, offers] = [format.number(coverage.proved), format.number(coverage.offers)];
  return (
    <Section title={t.result}>
      {findings.length === 0 ? (
        <Empty title={t.none}>{t.noneText(proved, offers)}</Empty>
      ) : (
        <>
          <ul className="flex flex-col divide-y divide-line border-y border-line">
            {findings.map(({ code, severity, subject, message }) => (
              <li key={`${code} ${subject.id} ${subject.path}`} className="flex flex-col gap-1 py-2">
                <span className="flex flex-wrap items-center gap-2">
                  <Badge tone={tones[severity]}>{t.severities[severity]}</Badge>
                  <span className="min-w-0 font-medium break-words">{subject.name}</span>
                </span>
                <p className="text-soft">{message}</p>
              </li>
            ))}
          </ul>
          <p className="pt-3 text-caption text-soft">{t.coverage(proved, offers)}</p>
        </>
      )}
    </Section>
  );
}
