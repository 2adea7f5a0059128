import { notificationOperations } from '@arbiter/contract/operations/notifications';
import { useCallback, useState } from 'react';
import { useMutate } from '../../data/use-operation.ts';
import { destinationTexts as t } from '../../messages/access/destinations.ts';
import { toast } from '../../ui/overlays/toast.tsx';

/** A destination to send to. */
export interface Tested {
  readonly id: string;
  readonly name: string;
}

const nothing = (): void => undefined;

/** Sends test messages. `tested`: the destination of the running or failed test. `onFailed`: a failure changes its last result. */
export function useTest(onFailed: () => void = nothing) {
  const { run, busy, failure, clear } = useMutate(notificationOperations.test);
  const [tested, setTested] = useState<Tested | null>(null);
  const test = useCallback(
    async (destination: Tested) => {
      setTested(destination);
      const answer = await run({ params: { id: destination.id } });
      if (answer === null) onFailed();
      else toast({ text: t.tested(destination.name, answer.latencyMs) });
    },
    [run, onFailed],
  );
  return { test, tested, busy, failure, clear };
}
