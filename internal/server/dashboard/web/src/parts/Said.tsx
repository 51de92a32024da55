// Said is what became of something that the viewer did.
export const Said = ({ text, testid }: { text: string; testid: string }) =>
  text === "" ? null : (
    <p class="good" role="status" data-testid={testid}>
      {text}
    </p>
  );
