import { listToolTexts as t } from '../messages/lists/list-tools.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Id } from '../ui/copy.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { SidePanel } from '../ui/overlays/side-panel.tsx';

export interface RowPeekProps {
  /** Key of the row; it stands in the address. */
  readonly of: string;
  /** What `lookAt` makes of the row; null when it is not among those that are loaded. */
  readonly shown: { readonly heading: string; readonly facts: readonly Fact[] } | null;
  /** False: further rows could be loaded, among which it may be. */
  readonly complete: boolean;
  /** What the rows are: the heading where the row is not there. */
  readonly title: string;
  /** Its page; null: it has none. */
  readonly to: string | null;
  /** Shown as the last line: the id by which programs know the row. */
  readonly id?: string;
  readonly onClose: () => void;
}

/** A look at a row beside its list. */
export function RowPeek({ of, shown, complete, title, to, id, onClose }: RowPeekProps) {
  return (
    <SidePanel
      of={of}
      title={shown === null || shown.heading === '' ? title : shown.heading}
      closes={t.peekClose}
      onClose={onClose}
      actions={
        to === null ? null : (
          <ButtonLink size="small" kind="primary" to={to}>
            {t.peekOpen}
          </ButtonLink>
        )
      }
    >
      {shown === null ? (
        <p className="text-soft">{complete ? t.peekMissing : t.peekNotLoaded}</p>
      ) : (
        <Facts
          facts={id === undefined ? shown.facts : [...shown.facts, { label: t.id, value: <Id id={id} what="id" /> }]}
        />
      )}
    </SidePanel>
  );
}
