/** What the API returns for a stored secret, and takes as "keep it". */
export const secretBullets = '••••••••';
