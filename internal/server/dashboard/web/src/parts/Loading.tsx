export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status" data-testid="loading">
      <span class="spinner" aria-hidden="true" /> {what}
    </p>
  );
}
