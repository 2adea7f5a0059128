import type { WhatIfAnswer, WhatIfRequest } from './what-if-message.ts';
import workerUrl from './what-if-worker.ts?worker&url';
import { workerClient } from './worker-client.ts';

export type { InputEdit, WhatIfField, WhatIfOffer } from './what-if-message.ts';
export type WhatIf = Omit<WhatIfAnswer, 'id'>;

/** Decides a recorded decision again with other inputs. */
export const tryInputs: (request: Omit<WhatIfRequest, 'id'>) => Promise<WhatIf> = workerClient<
  WhatIfRequest,
  WhatIfAnswer
>(workerUrl);
