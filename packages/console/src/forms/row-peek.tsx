import { listToolTexts as t } from '../messages/lists/list-tools.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Id } from '../ui/copy.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { SidePanel } from '../ui/overlays/side-panel.tsx';

export interface RowPeekProps {
  /** Key of the row, from the address. */
  readonly of: string;
  /** Result of `lookAt`; null if the row isn't loaded. */
  readonly shown: { readonly heading: string; readonly facts: readonly Fact[] } | null;
  /** False: the row may be among those not loaded yet. */
  readonly complete: boolean;
  /** What the rows are: the heading if the row is missing. */
  readonly title: string;
  /** Address of its page; null without one. */
  readonly to: string | null;
  /** The ID, shown as the last line. */
  readonly id?: string;
  readonly onClose: () => void;
}

/** Preview of a row, next to its list. */
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
          facts={id === undefined ? shown.facts : [...shown.facts, { label: t.id, value: <Id id={id} what="ID" /> }]}
        />
      )}
    </SidePanel>
  );
}
