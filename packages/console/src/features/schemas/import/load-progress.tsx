import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { LoadState } from './use-load.ts';

export interface LoadProgressProps {
  readonly state: LoadState;
  readonly rows: number;
  readonly onStop: () => void;
}

const words = { creating: t.creating, sending: t.sending, stopping: t.stopping };

/** Shows the progress of an import. */
export function LoadProgress({ state, rows, onStop }: LoadProgressProps) {
  const format = useFormat();
  const { phase } = state;
  const text =
    phase === 'storing'
      ? t.storing(format.number(state.rows), format.number(rows))
      : phase === 'creating' || phase === 'sending' || phase === 'stopping'
        ? words[phase]
        : '';
  const share = phase === 'storing' && rows > 0 ? state.rows / rows : 0;
  return (
    <div className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <p role="status">{text}</p>
      <Progress share={share} label={text} />
      <Button className="w-fit" disabledReason={phase === 'stopping' ? t.stopping : null} onClick={onStop}>
        {t.stop}
      </Button>
    </div>
  );
}
