/** Characters of GSM 03.38 that take seven bits. */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** Those that take two places. */
const extended = '^{}\\[~]|€';

const isBasic = new Set(basic);
const isExtended = new Set(extended);

export interface SmsSize {
  readonly segments: number;
  /** False: a character doesn't fit into seven bits, so every one takes two bytes. */
  readonly isPlain: boolean;
}

/** Returns how many messages an SMS is billed as: 160 characters, or 70 with other alphabets; fewer in each of several. */
export function smsSize(text: string): SmsSize {
  const letters = [...text];
  const isPlain = letters.every((letter) => isBasic.has(letter) || isExtended.has(letter));
  const length = isPlain ? letters.length + letters.filter((letter) => isExtended.has(letter)).length : text.length;
  const [alone, together] = isPlain ? [160, 153] : [70, 67];
  return { segments: length === 0 ? 0 : length <= alone ? 1 : Math.ceil(length / together), isPlain };
}
