// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title The deposit address of one payment
/// @notice NOT AUDITED. Its clone (EIP-1167) is created at `Router.depositOf(key)` when the deposit is charged or
/// refunded. It needs no key and no gas; only the router can move its money. It has no `receive`: after its creation it
/// refuses plain transfers of the native coin, and earlier ones can be refunded.
contract DepositForwarder is RouterOnly {
    /// @notice Moves `amount` of `token` to the router, as the first half of a charge.
    /// Reverts with PullFailed if the token refuses.
    function pull(address token, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        if (!TokenCalls.push(token, router, amount)) revert PullFailed(TokenCalls.why(given));
    }

    /// @notice Pays `amount` of `token` back to `to`; a `token` of zero is the native coin. Reverts with RefundFailed
    /// if the token or the receiver refuses.
    function refund(address token, address to, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        bool done = token == address(0)
            ? LowLevelCall.callNoReturn(to, amount, "")
            : TokenCalls.push(token, to, amount);
        if (!done) revert RefundFailed(TokenCalls.why(given));
    }
}
