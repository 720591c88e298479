// Whether this page is the one that belongs to its worker: one that was open before an upgrade has another's script, and may show wrong figures.

const own = document.documentElement.dataset.edition;

/** Loads the worker's own page in place of another. Once for each: a proxy that keeps the other would give it again and again. */
export function turnTo(edition) {
  if (edition !== own && isNew(edition)) location.reload();
}

// Nobody knows where the browser remembers nothing for pages.
function isNew(edition) {
  const key = `turned to ${edition}`;
  try {
    if (sessionStorage.getItem(key)) return false;
    sessionStorage.setItem(key, 'once');
    return true;
  } catch {
    return false;
  }
}
