import { Badge, type Tone } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';

export interface VerdictProps {
  readonly title: string;
  readonly tone: Tone;
  /** The verdict in a word. */
  readonly word: string;
  /** The result in a sentence. */
  readonly headline: string;
  /** Why it isn't better. */
  readonly reasons: readonly string[];
  readonly children?: React.ReactNode;
}

/** The result of a study in a sentence, and why it isn't better. */
export function Verdict({ title, tone, word, headline, reasons, children }: VerdictProps) {
  return (
    <Section title={title} about={<Badge tone={tone}>{word}</Badge>}>
      <div className="flex flex-col gap-3">
        <p className="text-section font-semibold text-balance">{headline}</p>
        {reasons.length === 0 ? null : (
          <ul className="list-disc ps-4 text-soft">
            {[...new Set(reasons)].map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
        {children}
      </div>
    </Section>
  );
}
