import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { factorHelp, factorNames, methodNames } from '../../../messages/decisions/score.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ChartFrame } from '../../../ui/charts/frame.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFormat } from '../../../ui/provider.tsx';
import { rivalText } from './rival.ts';
import { type Axis, axisFor, type Factor, type Piece, piecesOf, placeOn, type ScoreParts } from './score.ts';

export interface ScoreViewProps {
  readonly name: string;
  readonly parts: ScoreParts;
  readonly rival: { readonly name: string; readonly parts: ScoreParts } | null;
}

/** The score with its factors, exportable as files. The chart includes a table of the same numbers. */
export function ScoreView(props: ScoreViewProps) {
  const format = useFormat();
  const { name, parts, rival } = props;
  const comparable = rival !== null && rival.parts.method === parts.method ? rival : null;
  const drill = { reason: t.scorePart };
  const lines = [
    ...parts.factors.map((each, at) => ({
      each,
      other: comparable?.parts.factors[at]?.value,
      name: factorNames[each.name] ?? each.name,
    })),
    { each: null, other: comparable?.parts.product, name: t.product },
  ];
  const table = {
    head: [t.factor, t.value, t.exponent, name, ...(comparable === null ? [] : [comparable.name])],
    rows: lines.map(({ each, other, name: factor }) => {
      const values = [each?.base ?? null, each?.exponent ?? null, each?.value ?? parts.product];
      const all = comparable === null ? values : [...values, other ?? null];
      return {
        key: factor,
        cells: [factor, ...all.map((value) => (value === null ? '–' : format.number(value, 6)))],
        values: [factor, ...all],
        drill,
      };
    }),
  };
  const summary = t.scoreFormula(
    parts.factors.map(({ name: factor, value }) => `${factorNames[factor] ?? factor} ${format.number(value, 3)}`),
    format.number(parts.product, 6),
  );
  return (
    <ChartFrame title={t.scoreOf(name)} summary={summary} table={table} isTable bare>
      {() => <Factors {...props} />}
    </ChartFrame>
  );
}

/**
 * A score as factors on a logarithmic axis: the bar starts at 1, each factor takes its part, and the rest is the score. The
 * table has the same numbers.
 */
function Factors({ name, parts, rival }: ScoreViewProps) {
  const format = useFormat();
  const comparable = rival !== null && rival.parts.method === parts.method ? rival : null;
  const axis = axisFor(comparable === null ? [parts] : [parts, comparable.parts]);
  const pieces = piecesOf(parts, axis);
  const others = comparable === null ? [] : piecesOf(comparable.parts, axis);
  const figure = (value: number) => format.fixed(value, value !== 0 && value < 0.01 ? 6 : 3);
  return (
    <div className="flex flex-col gap-2">
      <table className="w-full table-fixed border-separate border-spacing-y-0.5 text-dense">
        <caption className="hidden-text">
          {t.score}: {name}, {methodNames[parts.method]}
        </caption>
        <colgroup>
          <col className="w-28 max-sm:w-22" />
          <col className="w-24 max-sm:w-20" />
          <col />
        </colgroup>
        <thead className="hidden-text">
          <tr>
            <th scope="col">{t.factor}</th>
            <th scope="col">{t.value}</th>
            <th scope="col">{t.scoreAxis}</th>
          </tr>
        </thead>
        <tbody>
          {pieces.map((piece, at) => (
            <FactorLine
              key={piece.name}
              piece={piece}
              other={others[at] ?? null}
              axis={axis}
              power={powerText(piece.factor, format.number)}
              figure={figure}
            />
          ))}
          <tr>
            <th scope="row" className="pe-2 text-start font-semibold">
              {t.product}
            </th>
            <td className="pe-3 text-end font-semibold">{figure(parts.product)}</td>
            <td>
              <Track axis={axis}>
                <Bar left={0} right={placeOn(axis, parts.product)} className="bg-accent" />
                {comparable === null ? null : (
                  <Bar left={0} right={placeOn(axis, comparable.parts.product)} className="bg-chart-8" thin />
                )}
              </Track>
            </td>
          </tr>
        </tbody>
      </table>
      <Ticks axis={axis} />
      {parts.isProduct ? null : (
        <p className="text-dense text-warn">{t.changedLater(figure(parts.product), figure(parts.score))}</p>
      )}
      {rival === null ? null : (
        <p className="text-dense text-soft">
          {rivalText({ name, parts }, rival, (share) => format.percent(share, share < 0.1 ? 1 : 0))}
        </p>
      )}
    </div>
  );
}

function powerText(factor: Factor, write: (value: number, digits?: number) => string): string | null {
  return factor.exponent === 1 ? null : t.power(write(factor.base, 3), write(factor.exponent, 2));
}

interface FactorLineProps {
  readonly piece: Piece;
  readonly other: Piece | null;
  readonly axis: Axis;
  readonly power: string | null;
  readonly figure: (value: number) => string;
}

function FactorLine({ piece, other, axis, power, figure }: FactorLineProps) {
  const { name, factor } = piece;
  return (
    <tr>
      <th scope="row" className="truncate pe-2 text-start font-normal text-soft" title={factorHelp[name]}>
        {factorNames[name] ?? name}
      </th>
      <td className="pe-3 text-end">
        {figure(factor.value)}
        {power === null ? null : <span className="block text-caption leading-3 text-faint">{power}</span>}
        {other === null ? null : <span className="hidden-text">, {figure(other.factor.value)}</span>}
      </td>
      <td>
        <Track axis={axis}>
          <Bar left={piece.left} right={piece.right} className="bg-chart-1" />
          {other === null ? null : <Bar left={other.left} right={other.right} className="bg-chart-8" thin />}
        </Track>
      </td>
    </tr>
  );
}

function Track({ axis, children }: { readonly axis: Axis; readonly children: React.ReactNode }) {
  return (
    <div aria-hidden className="relative h-5 rounded-control bg-sunken">
      {axis.ticks.slice(1, -1).map((tick) => (
        <span
          key={tick}
          className="absolute inset-y-0 w-px bg-line"
          style={{ insetInlineStart: `${placeOn(axis, tick) * 100}%` }}
        />
      ))}
      {children}
    </div>
  );
}

interface BarProps {
  readonly left: number;
  readonly right: number;
  readonly className: string;
  /** The rival's bar, below. */
  readonly thin?: boolean;
}

function Bar({ left, right, className, thin = false }: BarProps) {
  return (
    <span
      data-mark
      className={cx('absolute min-w-0.5 rounded-control', thin ? 'top-3.5 h-1' : 'top-1 h-2.5', className)}
      style={{ insetInlineStart: `${left * 100}%`, width: `${(right - left) * 100}%` }}
    />
  );
}

function Ticks({ axis }: { readonly axis: Axis }) {
  const format = useFormat();
  return (
    <div aria-hidden className="@container relative ms-52 h-4 text-caption text-faint max-sm:ms-42">
      {axis.ticks.map((tick, at) => {
        const place = placeOn(axis, tick);
        const shift = at === 0 ? '0' : place > 0.98 ? '-100%' : '-50%';
        return (
          <span
            key={tick}
            className={cx('absolute', at > 0 && at < axis.ticks.length - 1 && '@max-[6rem]:hidden')}
            style={{ insetInlineStart: `${place * 100}%`, transform: `translateX(${shift})` }}
          >
            {format.number(tick, 9)}
          </span>
        );
      })}
    </div>
  );
}

/** Names the scoring method of an offer. */
export function MethodBadge({ method }: { readonly method: string }) {
  return <Badge tone="neutral">{methodNames[method] ?? method}</Badge>;
}
