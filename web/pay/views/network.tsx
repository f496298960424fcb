/** "Base (8453)". */
export function Network({ label, chainId }: { readonly label: string; readonly chainId: number }) {
  return (
    <bdi>
      {label} ({chainId})
    </bdi>
  );
}
