// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The errors that the router passes on from its operators and deposit forwarders
interface Faults {
    /// @notice The token did not hand over the charged amount; `reason` is its revert data or its answer.
    error PullFailed(bytes reason);
    /// @notice The token, or the receiver of the native coin, refused a refund; `reason` is its revert data or its
    /// answer.
    error RefundFailed(bytes reason);
    /// @notice Gas was used up; `given` is what there was. As the reason within another error: the token used up all
    /// that it was given, several times what an honest one needs (some old tokens refuse in just this way).
    error OutOfGas(uint256 given);
}
