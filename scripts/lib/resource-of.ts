/** The resource whose events `sequence` counts (docs/rules.md, "Webhooks"). */
export function resourceOf({ data }: { readonly data: Readonly<Record<string, unknown>> }): string {
  return String(data['subscriptionId'] ?? data['paymentId'] ?? data['customerId'] ?? data['tokenKey']);
}
