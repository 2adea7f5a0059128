import type { InsideHandlers } from '../../../http/binding/call-inside.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { EnqueueMail } from '../../identity/mail/index.ts';

/** What the operations of approvals need from outside. */
export interface ApprovalPorts extends InsideHandlers {
  /** Seals payloads that hold secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly enqueueMail: EnqueueMail;
  /** Hours after which a pending request expires (APPROVAL_MAX_AGE_HOURS). */
  readonly approvalMaxAgeHours: number;
}
