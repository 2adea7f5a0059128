/** A row of the source that pipelines load while they are killed. */
export const numberedRow = (at: number) => ({
  customer_id: `C-${at}`,
  amount: at,
  label: `row ${at} with some text`,
});
