import { decisionOperations } from '@arbiter/contract/deciding/decisions';
import { useRef, useState } from 'react';
import { useMutate } from '../../../data/use-operation.ts';
import { type InputEdit, tryInputs, type WhatIf } from '../../../engine-worker/what-if.ts';
import { proofContent } from './proof-content.ts';

export type Edits = Readonly<Record<string, InputEdit['to']>>;

const listOf = (edits: Edits): readonly InputEdit[] => Object.entries(edits).map(([path, to]) => ({ path, to }));

/**
 * Decides a recorded decision again in the browser, with other inputs. Loading its proof is recorded in the audit log, so it's
 * done on demand and once.
 */
export function useWhatIf(id: string) {
  const { run, busy, failure } = useMutate(decisionOperations.proof);
  const [edits, setEdits] = useState<Edits>({});
  const [answer, setAnswer] = useState<WhatIf | null>(null);
  const last = useRef(0);
  const decide = async (next: Edits, proof?: string) => {
    last.current += 1;
    const own = last.current;
    const result = await tryInputs({ edits: listOf(next), ...(proof === undefined ? {} : { proof }) });
    if (own === last.current) setAnswer(result);
  };
  const change = (next: Edits) => {
    setEdits(next);
    void decide(next);
  };
  return {
    ...{ answer, busy, failure, edits },
    open: async () => {
      const page = await run({ params: { id } });
      const proof = page === null ? null : proofContent(String(page));
      if (proof !== null) await decide({}, proof);
    },
    set: (path: string, to: InputEdit['to']) => change({ ...edits, [path]: to }),
    clear: (path: string) => {
      const { [path]: _, ...rest } = edits;
      change(rest);
    },
    reset: () => change({}),
  };
}
