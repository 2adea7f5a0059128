import { needsTexts as t } from '../../messages/home.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Link } from '../../ui/link.tsx';

/** Something that needs the user's attention. */
export interface Need {
  readonly key: string;
  readonly tone: Tone;
  readonly kind: string;
  readonly text: string;
  readonly detail: string;
  /** Address of its screen; null without one. */
  readonly to: string | null;
}

/** Maximum number of lines of a kind; the rest is counted. */
const maxLines = 5;

/** Needs, kind by kind. */
export function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  const kinds = [...new Set(needs.map(({ kind }) => kind))];
  return (
    <ul className="divide-y divide-line">
      {kinds.flatMap((kind) => {
        const lines = needs.filter((need) => need.kind === kind);
        return [
          ...lines.slice(0, maxLines).map((need) => <NeedLine key={need.key} need={need} />),
          ...(lines.length > maxLines
            ? [
                <li key={kind} className="px-4 py-2 text-dense text-soft">
                  {t.more(lines.length - maxLines, kind)}
                </li>,
              ]
            : []),
        ];
      })}
    </ul>
  );
}

function NeedLine({ need: { tone, kind, text, detail, to } }: { need: Need }) {
  const inside = (
    <>
      <Badge tone={tone}>{kind}</Badge>
      <span className="min-w-0 flex-1">
        <span className="font-medium break-words">{text}</span>
        <span className="block text-dense text-soft">{detail}</span>
      </span>
    </>
  );
  const look = 'flex flex-wrap items-start gap-3 px-4 py-2';
  return (
    <li>
      {to === null ? (
        <div className={look}>{inside}</div>
      ) : (
        <Link look="plain" to={to} className={`${look} hover:bg-hover`}>
          {inside}
        </Link>
      )}
    </li>
  );
}
