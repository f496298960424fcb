// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The errors that the router shares with the contracts that it makes and inherits
interface Faults {
    /// @notice This key has been charged, or this refund been made, before: `chargedAt` says when.
    error Seen(bytes32 key);
    /// @notice The token does not tell a balance; `reason` is its revert data or its answer.
    error BalanceFailed(bytes reason);
    /// @notice Another amount arrived than was pulled (a fee on transfer, or a lie).
    error ArrivalMismatch(uint256 arrived, uint256 expected);
    /// @notice Under a mandate, the token did not move a share from the payer to its recipient; `reason` is its revert
    /// data or its answer.
    error SharePullFailed(uint256 index, bytes reason);
    /// @notice The token did not hand over the charged amount; `reason` is its revert data or its answer.
    error PullFailed(bytes reason);
    /// @notice The token, or the receiver of the native coin, refused a refund; `reason` is its revert data or its
    /// answer.
    error RefundFailed(bytes reason);
    /// @notice Gas was used up; `given` is what there was. As the reason within another error: the token used up all
    /// that it was given, several times what an honest one needs (some old tokens refuse in just this way).
    error OutOfGas(uint256 given);
}
