// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title The mandate operator of one merchant
/// @notice NOT AUDITED. Its clone (EIP-1167) is at `Router.mandateOperatorOf(merchant)` from the first charge on. The
/// router uses it only for charges that keep to a mandate, so no other charge can reach its allowances. It has no
/// tokens, no owner and no storage.
contract MandateOperator is RouterOnly {
    /// @notice Moves each amount of `token` from `from`, who has approved this operator, directly to its recipient.
    /// Reverts with SharePullFailed if the token refuses a share, and with ArrivalMismatch if another amount arrives.
    function pull(
        address token,
        address from,
        address[] calldata to,
        uint256[] calldata amounts
    ) external onlyRouter {
        for (uint256 i; i < to.length; ++i) {
            if (amounts[i] == 0) continue;
            uint256 before = _balance(token, to[i]);
            uint256 given = gasleft();
            if (!TokenCalls.pull(token, from, to[i], amounts[i])) revert SharePullFailed(i, TokenCalls.why(given));
            uint256 balance = _balance(token, to[i]);
            uint256 arrived = balance > before ? balance - before : 0;
            if (arrived != amounts[i]) revert ArrivalMismatch(arrived, amounts[i]);
        }
    }

    function _balance(address token, address account) private view returns (uint256) {
        uint256 given = gasleft();
        (bool done, uint256 balance) = TokenCalls.balanceOf(token, account);
        if (!done) revert BalanceFailed(TokenCalls.why(given));
        return balance;
    }
}
