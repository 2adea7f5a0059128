import { cx } from '../../../ui/cx.ts';
import type { Figure } from './gate-story.ts';

const width = 132;
const height = 16;

/** Small chart of a gate. It repeats the text next to it, so screen readers skip it. */
export function GateFigure({ figure, passed }: { readonly figure: Figure; readonly passed: boolean }) {
  const ink = passed ? 'fill-pass' : 'fill-block';
  switch (figure.kind) {
    case 'ruler':
      return <Ruler {...figure} ink={ink} />;
    case 'counter':
      return <Counter {...figure} ink={ink} />;
    case 'timer':
      return <Bar share={figure.length === 0 ? 1 : figure.elapsed / figure.length} ink={ink} />;
    case 'clock':
      return <Hours {...figure} ink={ink} />;
    case 'set':
      return <Members {...figure} />;
    default:
      return null;
  }
}

function Frame({ children }: { readonly children: React.ReactNode }) {
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${height}`} width={width} height={height} className="shrink-0">
      {children}
    </svg>
  );
}

interface RulerProps {
  readonly value: number | null;
  readonly least: number | null;
  readonly most: number | null;
  readonly ink: string;
}

/** The allowed range of a number line, with the value. */
function Ruler({ value, least, most, ink }: RulerProps) {
  const known = [value, least, most].filter((each) => each !== null);
  const [low, high] = [Math.min(0, ...known), Math.max(...known, 0)];
  const room = (high - low || 1) * 0.12;
  const [from, to] = [low < 0 ? low - room : 0, high + room];
  const at = (each: number): number => 2 + ((each - from) / (to - from)) * (width - 4);
  const [start, end] = [least === null ? 2 : at(least), most === null ? width - 2 : at(most)];
  return (
    <Frame>
      <rect x={2} y={7} width={width - 4} height={2} className="fill-line" />
      <rect x={start} y={6} width={Math.max(2, end - start)} height={4} rx={1} className="fill-pass" opacity={0.45} />
      {[least, most].map((bound) =>
        bound === null ? null : (
          <rect key={bound} x={at(bound) - 1} y={2} width={2} height={12} className="fill-soft" />
        ),
      )}
      {value === null ? null : (
        <circle cx={at(value)} cy={8} r={4.5} className={cx(ink, 'stroke-surface')} strokeWidth={1.5} />
      )}
    </Frame>
  );
}

/** Dots for a few contacts, a bar for many. */
function Counter({ used, max, ink }: { readonly used: number; readonly max: number; readonly ink: string }) {
  const places = Math.max(max, used);
  if (places > 10 || !Number.isInteger(places)) return <Bar share={max === 0 ? 1 : used / max} ink={ink} />;
  return (
    <Frame>
      {Array.from({ length: places }, (_, at) => {
        const taken = at < used;
        const look = taken ? ink : 'fill-none stroke-line-strong';
        // biome-ignore lint/suspicious/noArrayIndexKey: dots are identified by position
        return <circle key={at} cx={7 + at * 13} cy={8} r={4.5} className={look} strokeWidth={1.5} />;
      })}
      {max > 0 && used > max ? <rect x={max * 13} y={1} width={1.5} height={14} className="fill-soft" /> : null}
    </Frame>
  );
}

function Bar({ share, ink }: { readonly share: number; readonly ink: string }) {
  return (
    <Frame>
      <rect x={2} y={5} width={width - 4} height={6} rx={2} className="fill-sunken stroke-line" strokeWidth={1} />
      <rect x={2} y={5} width={(width - 4) * Math.min(1, Math.max(0.015, share))} height={6} rx={2} className={ink} />
    </Frame>
  );
}

interface HoursProps {
  readonly start: number;
  readonly end: number;
  readonly hour: number | null;
  readonly ink: string;
}

/** The 24 hours of a day: open hours are tall, the hour of the decision is marked. */
function Hours({ start, end, hour, ink }: HoursProps) {
  const isOpen = (at: number): boolean =>
    start === end ? true : start < end ? at >= start && at < end : at >= start || at < end;
  const step = (width - 4) / 24;
  return (
    <Frame>
      {Array.from({ length: 24 }, (_, at) => {
        const open = isOpen(at);
        const look = at === hour ? ink : open ? 'fill-pass' : 'fill-line-strong';
        const tall = at === hour ? 14 : open ? 8 : 4;
        const shade = at === hour || !open ? 1 : 0.45;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars are hours
            key={at}
            x={2 + at * step}
            y={15 - tall}
            width={step - 1}
            height={tall}
            className={look}
            opacity={shade}
          />
        );
      })}
    </Frame>
  );
}

const maxMembers = 4;

/** Required segments, with a check for memberships; for excluded segments, the matching one. */
function Members({ wanted, have, mustHave }: Extract<Figure, { kind: 'set' }>) {
  const shown = wanted.slice(0, maxMembers);
  return (
    <span aria-hidden className="flex flex-wrap gap-1">
      {shown.map((name) => {
        const good = have.includes(name) === mustHave;
        return (
          <span
            key={name}
            className={cx(
              'max-w-48 truncate rounded-control border px-1 text-caption',
              good ? 'border-pass text-pass' : 'border-block text-block',
            )}
          >
            {have.includes(name) ? '✓' : '✗'} {name}
          </span>
        );
      })}
      {wanted.length > shown.length ? (
        <span className="text-caption text-faint">+{wanted.length - shown.length}</span>
      ) : null}
    </span>
  );
}
