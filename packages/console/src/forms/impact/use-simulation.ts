import { simulationOperations } from '@arbiter/contract/deciding/simulations';
import { useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';

/** Milliseconds between two polls of a running simulation. */
const pollMs = 1000;

/** Follows a simulation over a segment until it ends. */
export function useSimulation(id: string | null) {
  const [isOver, setOver] = useState<string | null>(null);
  const answer = useOperation(
    simulationOperations.get,
    { params: { id: id ?? '' } },
    { enabled: id !== null, everyMs: isOver === id ? false : pollMs, keepPrevious: false },
  );
  const { data } = answer;
  if (data !== undefined && data.status !== 'running' && isOver !== data.id) setOver(data.id);
  return answer;
}
