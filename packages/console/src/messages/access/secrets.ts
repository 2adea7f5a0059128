/** Texts of secrets that are shown once. */
export const secretTexts = {
  once: "You won't see it again. Store it with your application's secrets, never in source code.",
  acknowledge: "I've stored it",
} as const;
