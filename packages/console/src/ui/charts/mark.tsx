import { type KeyboardEvent, type ReactNode, type SVGProps, useRef } from 'react';
import type { Drill } from '../drill.ts';
import { leftToBrowser, useLinks } from '../link.tsx';

export interface MarkProps {
  /** What the mark says: "14:00, 312 decisions". */
  readonly name: string;
  readonly drill: Drill;
  /** The one of a chart that Tab reaches; arrows reach the others. */
  readonly first: boolean;
  readonly children: ReactNode;
}

/** A mark of a chart: a link to its data, or the reason it has no link. */
export function Mark({ name, drill, first, children }: MarkProps) {
  const links = useLinks();
  const shared = { 'data-walk': '', tabIndex: first ? 0 : -1, className: 'group/mark outline-offset-1' };
  if ('to' in drill) {
    return (
      <a
        {...shared}
        href={links.href(drill.to)}
        aria-label={drill.label ? `${name}, ${drill.label}` : name}
        onClick={(event) => {
          if (leftToBrowser(event)) return;
          event.preventDefault();
          links.go(drill.to);
        }}
      >
        <title>{name}</title>
        {children}
      </a>
    );
  }
  const text = `${name}. Not listed: ${drill.reason}`;
  return (
    <g {...shared} role="img" aria-label={text}>
      <title>{text}</title>
      {children}
    </g>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export interface PictureProps extends Pick<SVGProps<SVGSVGElement>, 'children'> {
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** The drawing of a chart. It is one stop of the tab order: arrows, Home and End walk its marks, Enter opens. */
export function Picture({ width, height, name, children }: PictureProps) {
  const picture = useRef<SVGSVGElement>(null);
  const walk = (event: KeyboardEvent) => {
    const marks = [...(picture.current?.querySelectorAll<SVGElement>('[data-walk]') ?? [])];
    const at = event.target instanceof SVGElement ? marks.indexOf(event.target) : -1;
    const step = steps[event.key];
    const next =
      event.key === 'Home' ? 0 : event.key === 'End' ? marks.length - 1 : step === undefined ? -1 : at + step;
    const mark = marks[next];
    if (at < 0 || !mark) return;
    event.preventDefault();
    mark.focus();
  };
  return (
    <svg
      ref={picture}
      role="group"
      aria-label={name}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="block max-w-full overflow-visible text-caption"
      onKeyDown={walk}
    >
      {children}
    </svg>
  );
}

/** Color of the n-th series, from 0; repeats after eight. */
export const seriesColor = (at: number) => `var(--chart-${(at % 8) + 1})`;

/** Dashes, so that lines from the fourth series on can be told apart without color. */
export const seriesDash = (at: number) => (at < 3 ? undefined : ['6 3', '2 3', '8 3 2 3', '1 3', '10 4'][(at - 3) % 5]);
